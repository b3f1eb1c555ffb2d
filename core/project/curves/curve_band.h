// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curves/curve.h"

#include <memory>
#include <vector>

namespace sparserl {

/// Several curves combined: their mean, minimum and maximum at every x. `low` and `high` are null for a
/// single curve; all are null without curves.
struct CurveBand
{
    std::shared_ptr<Curve> mean, low, high;
};

/// Uses the x of all curves. A curve is interpolated linearly between its points and ignored outside them:
/// where one ends, the mean covers the remaining ones. A non-finite value makes the mean at its x NaN, so it
/// stays visible. O(total points times number of curves). Above a total of four million points, uses only the
/// x of the longest curve.
CurveBand bandOf(const std::vector<std::shared_ptr<const Curve>>& curves);

} // namespace sparserl
