// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Bytes in GPT-2's alphabet: a printable code point for each.
std::string toByteAlphabet(std::string_view bytes);
/// The inverse; nothing where a character is not in the alphabet.
std::optional<std::string> fromByteAlphabet(std::string_view text);
/// The byte that a token such as "<0x0A>" names; -1 for other tokens.
int namedByte(std::string_view token);

} // namespace sparserl
