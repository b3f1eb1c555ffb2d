// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Whether a code point is invisible or displayed inconsistently: categories Cf, Zl, Zp and Co, Unicode's
/// default-ignorable characters (fillers, tags, selectors except U+FE0E and U+FE0F, which emoji use), and
/// noncharacters.
bool isUnicodeHidden(std::uint32_t code);
/// Whether a code point is a mark that combines with the preceding character (categories M*).
bool isUnicodeMark(std::uint32_t code);

} // namespace sparserl
