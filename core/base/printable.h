// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

/// Text that may go to a terminal: control characters (ESC and the rest of C0 but tab and line break, DEL,
/// C1) become "\x1b", what shows nothing or changes the direction of writing (isUnicodeHidden) "\u202e" or
/// "\U000e0041", as do accents without a letter or in heaps, and bytes that are no UTF-8 "\xff". Names of
/// files, packs and matrices, messages and sources come from others: raw, they could move the cursor, rename
/// the window or show another text than the one that is there, and two names could look like one.
std::string printable(std::string_view text);

/// The same for a line of its own, such as a row of a table: line breaks and tabs become "\x0a" and "\x09".
std::string printableLine(std::string_view text);

/// Whether all of it is UTF-8 (RFC 3629), as TOML and JSON must be.
bool isUtf8(std::string_view text);

/// What a person still reads of text that came out of a file: at most `most` bytes of it, then " ...". Not
/// cut within a character.
std::string shortened(std::string text, std::size_t most = 1000);

/// As printable() for a line of JSON: such characters, which are legal inside its strings, become \uXXXX.
std::string printableJson(std::string_view json);

} // namespace sparserl
