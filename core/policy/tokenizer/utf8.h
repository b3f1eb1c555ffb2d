// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparserl {

/// A UTF-8 character (RFC 3629; overlong forms and surrogates are invalid).
struct Utf8Character
{
    std::size_t size = 0; ///< Number of bytes; 0 if there is no complete character.
    std::uint32_t code = 0;
};

Utf8Character utf8CharacterAt(std::string_view text, std::size_t at);
/// Returns the character that ends before offset `end`.
Utf8Character utf8CharacterBefore(std::string_view text, std::size_t end);
/// Returns the number of bytes, starting at `at`, that form complete characters.
std::size_t utf8RunAt(std::string_view text, std::size_t at);

inline constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD"; // U+FFFD

/// Returns the text with one U+FFFD for each invalid byte. Programs of a policy are kept, judged and hashed
/// in this form, because JSON holds no other bytes.
std::string validUtf8(std::string_view text);

/// Decodes text that arrives in pieces, which may end within a character, as tokens do. Each invalid byte
/// becomes one U+FFFD.
class Utf8Stream
{
public:
    /// Returns the characters that are complete with these bytes.
    std::string feed(std::string_view bytes);
    /// Returns what remains at the end: a U+FFFD for each byte of an incomplete character.
    std::string finish();

private:
    std::string m_rest; ///< The beginning of an incomplete character.
};

} // namespace sparserl
