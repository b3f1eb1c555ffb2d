// SPDX-License-Identifier: Apache-2.0
#include "base/capital.h"

#include <algorithm>

namespace sparserl {

std::string withCapital(std::string text)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto end = std::find_if_not(text.begin(), text.end(), isLetter);
    const bool isWord = end != text.begin() && (end == text.end() || *end == ' ' || *end == ',');
    if (isWord && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

} // namespace sparserl
