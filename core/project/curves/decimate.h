// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

struct SeriesPoint
{
    std::int64_t step = 0;
    double value = 0; ///< NaN and infinities stay what they are.
};

/// Thins a series to at most `buckets` equal ranges of steps, keeping of each range the first, the lowest,
/// the highest and the last finite point and every kind of non-finite one (first NaN, first +inf, first
/// -inf): no spike and no NaN is ever hidden. At most 7 points per bucket, in the order of the input.
/// `points` must ascend by step. A series that is short already is returned as it is.
std::vector<SeriesPoint> decimate(std::span<const SeriesPoint> points, std::size_t buckets);

} // namespace sparserl
