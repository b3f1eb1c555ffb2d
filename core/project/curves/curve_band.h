// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curves/curve.h"

#include <memory>
#include <vector>

namespace sparserl {

/// Several curves as one: their mean at every x, and the lowest and the highest value there. `low` and `high`
/// are null where there is one curve; all are null where there is none.
struct CurveBand
{
    std::shared_ptr<Curve> mean, low, high;
};

/// The x are those of all curves together. Between its points a curve counts by linear interpolation, before
/// its first and behind its last it does not count: where one ends, the mean is of those that go on. A value
/// that is not finite makes the mean of its x NaN, so that it is seen. O(points of all times their number).
/// Above four million points of the curves together, the x are those of the longest.
CurveBand bandOf(const std::vector<std::shared_ptr<const Curve>>& curves);

} // namespace sparserl
