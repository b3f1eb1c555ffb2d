// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include "base/capital.h"
#include "base/printable.h"

#include <algorithm>

namespace sparserl {

namespace {

std::string withoutBreaks(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\r', ' ');
    return text;
}

std::string oneLine(const std::string& whole)
{
    std::string text = withoutBreaks(whole);
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) {
        text.pop_back();
    }
    return shortened(text);
}

} // namespace

std::string Error::sentence() const
{
    std::string out;
    if (!file.empty()) {
        out += shortened(withoutBreaks(file));
        if (line > 0) {
            out += ":" + std::to_string(line);
        }
        out += ": ";
    }
    const std::string body = oneLine(what);
    out += body.empty() ? "unknown error" : body;
    if (!remedy.empty()) {
        out += ". " + withCapital(oneLine(remedy));
    }
    return out;
}

} // namespace sparserl
