// SPDX-License-Identifier: Apache-2.0
#include "training/work/statistics.h"

#include "base/geometric_mean.h"
#include "base/quantile.h"
#include "base/rng.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

Summary summarise(std::span<const double> values)
{
    Summary s;
    if (values.empty())
        return s;
    s.min = *std::min_element(values.begin(), values.end());
    s.max = *std::max_element(values.begin(), values.end());
    for (const double v : values)
        s.mean += v;
    s.mean /= static_cast<double>(values.size());
    if (values.size() > 1) {
        for (const double v : values)
            s.std += (v - s.mean) * (v - s.mean);
        s.std = std::sqrt(s.std / static_cast<double>(values.size() - 1));
    }
    return s;
}

void addMeanMaxMin(Metrics& metrics, MetricId name, std::span<const double> values)
{
    if (values.empty())
        return;
    const auto s = summarise(values);
    metrics[name.part("mean")] = s.mean;
    metrics[name.part("max")] = s.max;
    metrics[name.part("min")] = s.min;
}

void addSpeedups(Metrics& metrics, std::span<const double> speedups)
{
    if (speedups.empty())
        return;
    GeometricMean mean;
    for (const double speedup : speedups)
        mean.add(speedup);
    metrics[metric::speedupGeomean] = mean.value();
    std::vector<double> values(speedups.begin(), speedups.end());
    std::sort(values.begin(), values.end());
    metrics[metric::speedup.part("p50")] = sortedQuantile(values, 0.5);
    metrics[metric::speedup.part("p90")] = sortedQuantile(values, 0.9);
    metrics[metric::speedup.part("max")] = values.back();
}

Interval pairedBootstrap(std::span<const double> differences, double level, int draws, std::uint64_t seed)
{
    Interval interval;
    if (differences.empty())
        return interval;
    interval.mean = summarise(differences).mean;
    Rng rng(seed);
    std::vector<double> means;
    means.reserve(static_cast<std::size_t>(draws));
    for (int d = 0; d < draws; ++d) {
        double sum = 0;
        for (std::size_t i = 0; i < differences.size(); ++i)
            sum += differences[rng.below(differences.size())];
        means.push_back(sum / static_cast<double>(differences.size()));
    }
    std::sort(means.begin(), means.end());
    interval.low = sortedQuantile(means, (1 - level) / 2);
    interval.high = sortedQuantile(means, 1 - (1 - level) / 2);
    return interval;
}

} // namespace sparserl
