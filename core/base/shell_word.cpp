// SPDX-License-Identifier: Apache-2.0
#include "base/shell_word.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace sparserl {

std::string shellWord(const std::string& name)
{
    const auto plain = [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("-_./+=:,@%").find(static_cast<char>(c)) != std::string_view::npos;
    };
    std::string word = name.starts_with('-') ? "./" + name : name;
    if (!word.empty() && std::all_of(word.begin(), word.end(), plain))
        return word;
    std::string out = "'";
    for (const char c : word)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

} // namespace sparserl
