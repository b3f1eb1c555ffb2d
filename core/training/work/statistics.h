// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/metrics.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// The values of one step by their names in project/run/metrics.def.
using Metrics = std::map<std::string, double>;

struct Summary
{
    double mean = 0, min = 0, max = 0, std = 0; ///< `std` is unbiased. All are 0 if there are no values.
};
Summary summarise(std::span<const double> values);

/// Adds NAME/mean, NAME/max and NAME/min.
void addMeanMaxMin(Metrics& metrics, MetricId name, std::span<const double> values);

/// Adds the geometric mean, p50, p90 and maximum of the speed-ups of correct samples, which must be above 0.
/// Adds nothing if `speedups` is empty.
void addSpeedups(Metrics& metrics, std::span<const double> speedups);

struct Interval
{
    double mean = 0, low = 0, high = 0;
};
/// Returns the mean of paired differences with a percentile bootstrap interval (`draws` resamples).
Interval pairedBootstrap(std::span<const double> differences, double level, int draws, std::uint64_t seed);

} // namespace sparserl
