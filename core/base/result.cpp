// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <algorithm>

namespace sparserl {

namespace {

std::string oneLine(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\r', ' ');
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) {
        text.pop_back();
    }
    return text;
}

} // namespace

std::string Error::sentence() const
{
    std::string out;
    if (!file.empty()) {
        out += file;
        if (line > 0) {
            out += ":" + std::to_string(line);
        }
        out += ": ";
    }
    const std::string body = oneLine(what);
    out += body.empty() ? "unknown error" : body;
    if (!remedy.empty()) {
        out += ". " + oneLine(remedy);
    }
    return out;
}

} // namespace sparserl
