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
    double value = 0; ///< May be NaN or infinite.
};

/// Reduces the number of points in a series without hiding spikes or NaN. Divides the steps into at most
/// `buckets` ranges of equal size. Of each range, keeps the first, the lowest, the highest and the last
/// finite point, and the first point of each non-finite kind (NaN, +inf, -inf), at most 7 points, in the
/// order of the input. `points` must be in ascending order of steps. Returns a short series unchanged.
std::vector<SeriesPoint> decimate(std::span<const SeriesPoint> points, std::size_t buckets);

} // namespace sparserl
