// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace sparserl {

/// Quantile with linear interpolation (Hyndman and Fan 1996, type 7; NumPy's default). q is in [0, 1]. 0 if
/// there are no values.
double quantile(std::vector<double> values, double q);
/// The same for values that are already in ascending order. Use it for several quantiles of the same values.
double sortedQuantile(std::span<const double> values, double q);
/// The median; for an even number of values, the mean of the middle two. 0 if there are no values.
double median(std::vector<double> values);

} // namespace sparserl
