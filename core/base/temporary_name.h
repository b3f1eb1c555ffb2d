// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

// Names of files while they are being written. They never collide with the user's files: they are hidden, and
// copyName() never returns a hidden name.
namespace sparserl {

inline constexpr std::string_view temporaryMark = ".sparserl.";
inline constexpr std::string_view temporaryTail = ".tmp-";

/// Returns ".sparserl.NAME.tmp-PROCESS-NUMBER". Truncates a long NAME.
inline std::string temporaryName(std::string_view name, long process, unsigned number)
{
    constexpr std::size_t longest = 160;
    return std::string(temporaryMark)
        .append(name.substr(0, longest))
        .append(temporaryTail)
        .append(std::to_string(process) + "-" + std::to_string(number));
}

/// The digits of the process id in a temporary name, or nullopt for any other name.
inline std::optional<std::string_view> processOfTemporary(std::string_view name)
{
    const auto isNumber = [](std::string_view text) {
        return !text.empty() &&
               std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    const auto tail = name.rfind(temporaryTail);
    if (!name.starts_with(temporaryMark) || tail == std::string_view::npos || tail <= temporaryMark.size())
        return std::nullopt;
    const std::string_view rest = name.substr(tail + temporaryTail.size());
    const auto dash = rest.find('-');
    if (dash == std::string_view::npos || !isNumber(rest.substr(0, dash)) || !isNumber(rest.substr(dash + 1)))
        return std::nullopt;
    return rest.substr(0, dash);
}

} // namespace sparserl
