// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace sparserl {

/// Code points from `low` to `high`, both included: an entry of the tables that
/// tests/tools/make_unicode_classes.py writes.
struct UnicodeRange
{
    std::uint32_t low, high;
};

/// Whether one of the ranges, which are in order, has the code point.
template <std::size_t n>
bool contains(const UnicodeRange (&ranges)[n], std::uint32_t code)
{
    const UnicodeRange* const after =
        std::upper_bound(std::begin(ranges), std::end(ranges), code,
                         [](std::uint32_t c, const UnicodeRange& range) { return c < range.low; });
    return after != std::begin(ranges) && code <= std::prev(after)->high;
}

} // namespace sparserl
