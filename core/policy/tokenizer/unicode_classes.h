// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Return whether a code point is in the general categories L* or N* or has the property White_Space of
/// Unicode. GPT-2's pre-tokenizer uses these classes.
bool isUnicodeLetter(std::uint32_t code);
bool isUnicodeNumber(std::uint32_t code);
bool isUnicodeSpace(std::uint32_t code);

} // namespace sparserl
