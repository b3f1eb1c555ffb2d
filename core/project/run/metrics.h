// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A metric's name in the journal: metric::ppoKl is "actor/ppo_kl". For metrics with parts, the prefix of the
/// parts.
struct MetricId
{
    std::string_view text;

    operator std::string() const { return std::string(text); }
    /// "critic/score" and "mean" yield "critic/score/mean". A part that begins with '_' or '@' is appended
    /// directly.
    std::string part(std::string_view name) const;
};

/// The split name of machine metrics. They depend on a clock, so no two runs have the same values.
inline constexpr const char* systemSplit = "system";

/// Every name in metrics.def.
namespace metric {
#define SPARSERL_METRIC(IDENTIFIER, NAME, ...) inline constexpr MetricId IDENTIFIER{NAME};
#define SPARSERL_METRIC_ALIAS SPARSERL_METRIC
#include "project/run/metrics.def"
#undef SPARSERL_METRIC_ALIAS
#undef SPARSERL_METRIC
} // namespace metric

/// The description of a metric. Charts, lists, the command line and docs/metrics.md are generated from it.
struct MetricDescription
{
    enum class Better
    {
        Higher,
        Lower,
        Neither
    };
    std::string_view name;
    std::vector<std::string_view>
        parts; ///< The possible parts after the name. Empty: only the name. '#' stands for a number.
    std::string_view unit; ///< "per token", "share", "s", ...; may be empty.
    Better better = Better::Neither;
    std::string_view panel; ///< Its heading: "Reward", "KL", ...
    std::string help;       ///< One sentence.

    /// All names: "critic/score/mean", ...; "pass@#" for a part with a number.
    std::vector<std::string> names() const;
};
/// In the order of metrics.def.
std::span<const MetricDescription> metricDescriptions();
/// The description for a journal's metric name; nullptr for an unknown one, for example from another
/// program's journal.
const MetricDescription* findMetric(std::string_view name);

/// Adds alternative names of existing metrics to the metrics of a step.
void addAliases(std::map<std::string, double>& metrics);

/// The priority of a metric as headline of a run of this stage; the smallest rank wins. nullopt for other
/// metrics.
std::optional<int> headlineRank(std::string_view stage, std::string_view name);

/// A Markdown table of all metrics for docs/metrics.md.
std::string describeMetricsMarkdown();

} // namespace sparserl
