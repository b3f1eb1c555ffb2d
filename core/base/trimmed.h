// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl {

/// Returns a text without the characters of `blanks` at its beginning and at its end.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r")
{
    const auto first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

} // namespace sparserl
