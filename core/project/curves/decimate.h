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
    double value = 0; ///< NaN and infinities are kept.
};

/// Reduces a series to at most `buckets` equal ranges of steps. Each range keeps its first, lowest, highest
/// and last finite point and the first of every kind of non-finite one (NaN, +inf, -inf), so no spike or NaN
/// is hidden. At most 7 points per bucket, in input order. `points` must ascend by step. A short series is
/// returned unchanged.
std::vector<SeriesPoint> decimate(std::span<const SeriesPoint> points, std::size_t buckets);

} // namespace sparserl
