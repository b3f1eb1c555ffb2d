// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <fmt/core.h>
#include <string>
#include <string_view>
#include <tuple>

namespace sparserl {

/// Escapes text for output to a terminal. Control characters (ESC and the rest of C0 except tab and line
/// break, DEL, C1) become "\x1b". Invisible characters and characters that change the writing direction
/// (isUnicodeHidden) become "\u202e" or "\U000e0041". The same happens to combining marks without a base
/// letter or in excessive numbers. Bytes that are not UTF-8 become "\xff". File names, packs, matrices,
/// messages and sources may come from other people. Unescaped, they could move the cursor, rename the window,
/// display false text or make two names look alike.
std::string printable(std::string_view text);

/// The same for a single line, such as a table row: line breaks and tabs become "\x0a" and "\x09".
std::string printableLine(std::string_view text);

namespace detail {
template <typename T>
auto lineArgument(const T& value)
{
    if constexpr (std::convertible_to<const T&, std::string_view>)
        return printableLine(value);
    else
        return value;
}
} // namespace detail

/// fmt::format() for lines that contain text from a file. Each text argument is escaped as one line, so it
/// cannot start a line of its own.
template <typename... Args>
std::string formatLine(std::string_view format, const Args&... args)
{
    const auto texts = std::make_tuple(detail::lineArgument(args)...);
    return std::apply(
        [&](const auto&... each) { return fmt::vformat(format, fmt::make_format_args(each...)); }, texts);
}

/// Whether the text is valid UTF-8 (RFC 3629), as TOML and JSON require.
bool isUtf8(std::string_view text);

/// Shortens text from a file for display: at most `most` bytes, then " ...". Does not cut within a character.
std::string shortened(std::string text, std::size_t most = 1000);

/// printable() for a line of JSON. The characters that it escapes are legal inside JSON strings; they become
/// \uXXXX.
std::string printableJson(std::string_view json);

} // namespace sparserl
