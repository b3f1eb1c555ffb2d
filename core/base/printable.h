// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <fmt/core.h>
#include <string>
#include <string_view>
#include <tuple>

namespace sparserl {

/// Text that may go to a terminal: control characters (ESC and the rest of C0 but tab and line break, DEL,
/// C1) become "\x1b", what shows nothing or changes the direction of writing (isUnicodeHidden) "\u202e" or
/// "\U000e0041", as do accents without a letter or in heaps, and bytes that are no UTF-8 "\xff". Names of
/// files, packs and matrices, messages and sources come from others: raw, they could move the cursor, rename
/// the window or show another text than the one that is there, and two names could look like one.
std::string printable(std::string_view text);

/// The same for a line of its own, such as a row of a table: line breaks and tabs become "\x0a" and "\x09".
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

/// As fmt::format() for rows and lines that name what came out of a file: each text among the arguments is
/// one line, so that no name of others makes lines of its own.
template <typename... Args>
std::string formatLine(std::string_view format, const Args&... args)
{
    const auto texts = std::make_tuple(detail::lineArgument(args)...);
    return std::apply(
        [&](const auto&... each) { return fmt::vformat(format, fmt::make_format_args(each...)); }, texts);
}

/// Whether all of it is UTF-8 (RFC 3629), as TOML and JSON must be.
bool isUtf8(std::string_view text);

/// What a person still reads of text that came out of a file: at most `most` bytes of it, then " ...". Not
/// cut within a character.
std::string shortened(std::string text, std::size_t most = 1000);

/// As printable() for a line of JSON: such characters, which are legal inside its strings, become \uXXXX.
std::string printableJson(std::string_view json);

} // namespace sparserl
