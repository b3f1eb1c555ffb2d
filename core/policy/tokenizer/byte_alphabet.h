// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Bytes in GPT-2's alphabet: one printable code point per byte.
std::string toByteAlphabet(std::string_view bytes);
/// The inverse; nullopt if a character is not in the alphabet.
std::optional<std::string> fromByteAlphabet(std::string_view text);
/// The byte named by a token such as "<0x0A>"; -1 for other tokens.
int namedByte(std::string_view token);

} // namespace sparserl
