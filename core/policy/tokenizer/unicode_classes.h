// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Unicode general categories L* and N*, and White_Space, as used in GPT-2's pre-tokenizer.
bool isUnicodeLetter(std::uint32_t code);
bool isUnicodeNumber(std::uint32_t code);
bool isUnicodeSpace(std::uint32_t code);

} // namespace sparserl
