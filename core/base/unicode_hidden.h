// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Whether a code point shows nothing, or what no font agrees on: categories Cf, Zl, Zp and Co, what Unicode
/// calls default ignorable (fillers, tags, selectors but U+FE0E and U+FE0F, which emoji have), and what is no
/// character.
bool isUnicodeHidden(std::uint32_t code);
/// Categories M*: what is drawn onto the character before it.
bool isUnicodeMark(std::uint32_t code);

} // namespace sparserl
