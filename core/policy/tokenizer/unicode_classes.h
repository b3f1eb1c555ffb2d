// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Unicode general categories L* and N*, and White_Space, of a code point: what GPT-2's pre-tokeniser asks
/// for.
bool isUnicodeLetter(std::uint32_t code);
bool isUnicodeNumber(std::uint32_t code);
bool isUnicodeSpace(std::uint32_t code);

} // namespace sparserl
