// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparserl {

/// A character of UTF-8 (RFC 3629: none overlong, no surrogates).
struct Utf8Character
{
    std::size_t size = 0; ///< Bytes; 0 where no whole character stands.
    std::uint32_t code = 0;
};

Utf8Character utf8CharacterAt(std::string_view text, std::size_t at);
/// The character that ends before `end`.
Utf8Character utf8CharacterBefore(std::string_view text, std::size_t end);
/// How many bytes from `at` on are whole characters.
std::size_t utf8RunAt(std::string_view text, std::size_t at);

inline constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD"; // U+FFFD

/// Text that arrives in pieces which may end within a character, as tokens do. Hands out whole characters
/// only; bytes that can be no part of one become U+FFFD, one for each byte.
class Utf8Stream
{
public:
    /// The characters that are whole now.
    std::string feed(std::string_view bytes);
    /// What is left at the end: U+FFFD for each byte of a character that was cut.
    std::string finish();

private:
    std::string m_rest; ///< The beginning of a character.
};

} // namespace sparserl
