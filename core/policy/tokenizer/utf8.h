// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparserl {

/// A UTF-8 character (RFC 3629: no overlong forms, no surrogates).
struct Utf8Character
{
    std::size_t size = 0; ///< Bytes; 0 if there is no complete character.
    std::uint32_t code = 0;
};

Utf8Character utf8CharacterAt(std::string_view text, std::size_t at);
/// The character that ends before `end`.
Utf8Character utf8CharacterBefore(std::string_view text, std::size_t end);
/// The number of bytes from `at` that form complete characters.
std::size_t utf8RunAt(std::string_view text, std::size_t at);

inline constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD"; // U+FFFD

/// Decodes text that arrives in pieces, which may end within a character, as tokens do. Returns only complete
/// characters. Each invalid byte becomes one U+FFFD.
class Utf8Stream
{
public:
    /// The characters completed by these bytes.
    std::string feed(std::string_view bytes);
    /// The remainder at the end: U+FFFD for each byte of an incomplete character.
    std::string finish();

private:
    std::string m_rest; ///< The beginning of a character.
};

} // namespace sparserl
