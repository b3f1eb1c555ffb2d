// SPDX-License-Identifier: Apache-2.0
#include "project/queries/run_cost.h"

#include "project/run/metrics.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace sparserl {
namespace {

struct Sum
{
    double seconds = 0;
    std::int64_t steps = 0;
};

/// `splits`: only of these; empty: of all.
Result<Sum> sumOf(ProjectReader& reader, RunId run, const std::string& name,
                  const std::vector<MetricName>& metrics, const std::set<std::string>& splits = {})
{
    Sum sum;
    for (const MetricName& metric : metrics) {
        if (metric.name != name || (!splits.empty() && !splits.contains(metric.split)))
            continue;
        SPARSERL_TRY(const auto points, reader.points(run, name, metric.split));
        for (const double value : points.values)
            sum.seconds += std::isfinite(value) ? value : 0;
        sum.steps += static_cast<std::int64_t>(points.values.size());
    }
    return sum;
}

} // namespace

Result<RunCost> readRunCost(ProjectReader& reader, RunId run)
{
    RunCost cost;
    SPARSERL_TRY(const auto metrics, reader.metricNames(run));
    SPARSERL_TRY(const Sum steps, sumOf(reader, run, metric::timeStep, metrics));
    cost.steps = steps.steps;
    if (cost.steps == 0)
        return cost;
    // What an evaluation sampled and judged is in its own time.
    std::set<std::string> splits;
    for (const MetricName& metric : metrics)
        if (metric.name == metric::timeStep.text)
            splits.insert(metric.split);
    double known = 0;
    for (const MetricId& part :
         {metric::timeSampling, metric::timeJudging, metric::timeOldLogProb, metric::timeUpdate}) {
        SPARSERL_TRY(const Sum sum, sumOf(reader, run, part, metrics, splits));
        if (sum.steps == 0)
            continue;
        cost.parts.push_back({part, sum.seconds});
        known += sum.seconds;
    }
    if (known > 0)
        cost.parts.push_back({{}, std::max(0.0, steps.seconds - known)});
    else
        cost.parts.push_back({metric::timeStep, steps.seconds});
    SPARSERL_TRY(const Sum testing, sumOf(reader, run, metric::timeTesting, metrics));
    if (testing.steps > 0)
        cost.parts.push_back({metric::timeTesting, testing.seconds});
    cost.seconds = std::max(steps.seconds, known) + testing.seconds;
    return cost;
}

} // namespace sparserl
