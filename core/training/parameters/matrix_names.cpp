// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/matrix_names.h"

#include <algorithm>

namespace sparserl {

std::vector<std::string> matrixNames(std::string_view text)
{
    constexpr std::string_view blanks = " \t\n";
    std::vector<std::string> names;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (const auto first = word.find_first_not_of(blanks); first != std::string_view::npos)
            names.emplace_back(word.substr(first, word.find_last_not_of(blanks) - first + 1));
        at = end + 1;
    }
    return names;
}

std::string joinMatrixNames(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ";") + name;
    return text;
}

} // namespace sparserl
