// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

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

/// With a capital letter, unless it begins with a name, a number or a command.
std::string asBeginning(std::string text)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto end = std::find_if_not(text.begin(), text.end(), isLetter);
    const bool isWord = end != text.begin() && (end == text.end() || *end == ' ' || *end == ',');
    if (isWord && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
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
        out += ". " + asBeginning(oneLine(remedy));
    }
    return out;
}

} // namespace sparserl
