// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curves/curve.h"

#include <memory>
#include <vector>

namespace sparserl {

/// The mean, minimum and maximum of several curves at every x. For a single curve, `low` and `high` are null.
/// Without curves, all three are null.
struct CurveBand
{
    std::shared_ptr<Curve> mean, low, high;
};

/// Combines curves at every x that occurs in one of them. Each curve is interpolated linearly between its
/// points. Before its first and after its last point, the mean covers only the other curves. A non-finite
/// value makes the mean at its x NaN, so that it remains visible. The time is proportional to the total
/// number of points times the number of curves. If the curves have more than four million points in total,
/// uses only the x of the longest curve.
CurveBand bandOf(const std::vector<std::shared_ptr<const Curve>>& curves);

} // namespace sparserl
