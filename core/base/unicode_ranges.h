// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace sparserl {

/// The code points from `low` to `high`, inclusive. tests/tools/make_unicode_classes.py generates tables of
/// ranges.
struct UnicodeRange
{
    std::uint32_t low, high;
};

/// Whether one of the sorted ranges contains the code point.
template <std::size_t n>
bool contains(const UnicodeRange (&ranges)[n], std::uint32_t code)
{
    const UnicodeRange* const after =
        std::upper_bound(std::begin(ranges), std::end(ranges), code,
                         [](std::uint32_t c, const UnicodeRange& range) { return c < range.low; });
    return after != std::begin(ranges) && code <= std::prev(after)->high;
}

} // namespace sparserl
