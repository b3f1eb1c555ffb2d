// SPDX-License-Identifier: Apache-2.0
#include "base/shell.h"

#include <algorithm>
#include <cctype>

namespace sparserl {

std::string shellWord(const std::string& text)
{
    const auto plain = [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("-_./+=:,@%").find(static_cast<char>(c)) != std::string_view::npos;
    };
    std::string word = text.starts_with('-') ? "./" + text : text;
    if (!word.empty() && std::all_of(word.begin(), word.end(), plain))
        return word;
    std::string out = "'";
    for (const char c : word)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string shellCommand(std::string_view pattern, const std::vector<std::string>& words)
{
    std::string out = "`";
    std::size_t next = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern.substr(i, 2) == "{}" && next < words.size()) {
            out += shellWord(words[next++]);
            ++i;
        } else {
            out += pattern[i];
        }
    }
    return out + "`";
}

} // namespace sparserl
