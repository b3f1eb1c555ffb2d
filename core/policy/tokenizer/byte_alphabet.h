// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Writes bytes in GPT-2's alphabet, which has a printable code point for each byte.
std::string toByteAlphabet(std::string_view bytes);
/// Converts a text in GPT-2's alphabet to bytes. Returns nullopt if a character is not in the alphabet.
std::optional<std::string> fromByteAlphabet(std::string_view text);
/// Returns the byte that a token such as "<0x0A>" names, or -1 for other tokens.
int namedByte(std::string_view token);

} // namespace sparserl
