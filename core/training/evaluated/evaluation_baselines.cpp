// SPDX-License-Identifier: Apache-2.0
#include "training/evaluated/evaluation_baselines.h"

#include "base/geometric_mean.h"
#include "training/evaluated/evaluation_figures.h"
#include "verdict/names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace sparserl {

namespace {

constexpr std::array<std::pair<const char*, const char*>, 3> labels{
    {{reference::defaultRoutine, "cuSPARSE DEFAULT"},
     {reference::bestRoutine, "best CSR routine of cuSPARSE"},
     {reference::bestOfCorpus, "fastest corpus program judged before"}}};

} // namespace

std::vector<std::string> referencesOf(std::span<const EvaluationResult> results)
{
    std::vector<std::string> names;
    for (const auto& label : labels) {
        const std::string name = label.first;
        const auto has = [&](const EvaluationEvent& row) { return row.references.contains(name); };
        const bool known = std::any_of(results.begin(), results.end(), [&](const EvaluationResult& result) {
            return std::any_of(result.rows.begin(), result.rows.end(), has);
        });
        if (known)
            names.push_back(name);
    }
    return names;
}

std::string referenceLabel(const std::string& name)
{
    const auto found =
        std::find_if(labels.begin(), labels.end(), [&](const auto& one) { return name == one.first; });
    return found == labels.end() ? name : found->second;
}

double speedupOver(const EvaluationEvent& row, const std::string& reference)
{
    double time = row.baselineMicroseconds;
    if (!reference.empty()) {
        const auto found = row.references.find(reference);
        time = found == row.references.end() ? 0 : found->second;
    }
    return time > 0 && row.bestMicroseconds > 0 ? time / row.bestMicroseconds : 0;
}

std::optional<SpeedupFigures> speedupFigures(std::span<const EvaluationEvent> rows,
                                             const std::string& reference)
{
    std::vector<double> speedups;
    GeometricMean mean;
    SpeedupFigures figures;
    for (const auto& row : rows) {
        const double speedup = speedupOver(row, reference);
        if (speedup <= 0)
            continue;
        speedups.push_back(speedup);
        mean.add(speedup);
        figures.faster += speedup > 1 ? 1 : 0;
    }
    if (speedups.empty())
        return std::nullopt;
    const auto n = static_cast<double>(speedups.size());
    const BoxFigures box = boxOf(speedups);
    figures.matrices = box.count;
    figures.faster /= n;
    figures.geomean = mean.value();
    figures.worst = box.low;
    figures.lowerQuartile = box.lowerQuartile;
    figures.median = box.median;
    figures.upperQuartile = box.upperQuartile;
    figures.best = box.high;
    return figures;
}

TextTable baselineTable(std::span<const EvaluationResult> results)
{
    TextTable table{"Speed-up of each matrix's best program over all that it is compared with; faster in "
                    "percent of the matrices",
                    {"policy", "over", "matrices", "faster", "geometric mean", "worst", "lower quartile",
                     "median", "upper quartile", "best"},
                    {}};
    auto names = referencesOf(results);
    names.insert(names.begin(), std::string());
    for (const auto& result : results) {
        for (const auto& name : names) {
            const auto figures = speedupFigures(result.rows, name);
            if (!figures)
                continue;
            const std::string baseline =
                result.baseline.empty() ? "the baseline" : result.baseline + " (the baseline)";
            table.rows.push_back({result.label, name.empty() ? baseline : referenceLabel(name),
                                  std::to_string(figures->matrices),
                                  fmt::format("{:.2f}", 100 * figures->faster)});
            for (const double value : {figures->geomean, figures->worst, figures->lowerQuartile,
                                       figures->median, figures->upperQuartile, figures->best})
                table.rows.back().push_back(fmt::format("{:.3f}", value));
        }
    }
    return table;
}

} // namespace sparserl
