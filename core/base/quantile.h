// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace sparserl {

/// Quantile by linear interpolation between neighbours (Hyndman and Fan 1996, type 7; NumPy's default), q in
/// [0, 1]; 0 for no values.
double quantile(std::vector<double> values, double q);
/// The same of values that ascend already: for several of one set.
double sortedQuantile(std::span<const double> values, double q);
/// The value in the middle, of an even number the mean of the two; 0 for no values.
double median(std::vector<double> values);

} // namespace sparserl
