// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/decimate.h"

#include <cstddef>
#include <span>
#include <vector>

namespace sparserl {

/// Exponential moving average with bias correction, `weight` w in [0, 1): (1 - w) sum_j w^(i-j) v_j over
/// 1 - w^i, as TensorBoard draws it. A value that is not finite stays what it is and does not enter the
/// average.
std::vector<SeriesPoint> smoothed(std::span<const SeriesPoint> points, double weight);

/// How many points it takes until all that came before weighs less than a millionth in smoothed().
std::size_t smoothingMemory(double weight);

} // namespace sparserl
