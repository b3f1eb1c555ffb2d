// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The name of a metric in the journal: metric::ppoKl is "actor/ppo_kl". For a metric with parts, the name
/// without its last part.
struct MetricId
{
    std::string_view text;

    operator std::string() const { return std::string(text); }
    /// Returns the name of a part: "critic/score" and "mean" give "critic/score/mean". A part that begins
    /// with '_' or '@' is appended without a slash.
    std::string part(std::string_view name) const;
};

/// The name of the split for metrics of the machine. They depend on a clock, so no two runs have the same
/// values.
inline constexpr const char* systemSplit = "system";

/// All names in metrics.def.
namespace metric {
#define SPARSERL_METRIC(IDENTIFIER, NAME, ...) inline constexpr MetricId IDENTIFIER{NAME};
#define SPARSERL_METRIC_ALIAS SPARSERL_METRIC
#include "project/run/metrics.def"
#undef SPARSERL_METRIC_ALIAS
#undef SPARSERL_METRIC
} // namespace metric

/// The description of a metric. Charts, lists, the command line and docs/metrics.md use it.
struct MetricDescription
{
    enum class Better
    {
        Higher,
        Lower,
        Neither
    };
    std::string_view name;
    /// The parts that can follow the name; '#' stands for a number. Empty if the metric has no parts.
    std::vector<std::string_view> parts;
    std::string_view unit; ///< A unit such as "per token", "share" or "s"; may be empty.
    Better better = Better::Neither;
    std::string_view panel; ///< The heading of its panel: "Reward", "KL", ...
    std::string help;       ///< An explanation in one sentence.

    /// Returns all names, such as "critic/score/mean", or "pass@#" for a part with a number.
    std::vector<std::string> names() const;
};
/// Returns the descriptions of all metrics, in the order of metrics.def.
std::span<const MetricDescription> metricDescriptions();
/// Returns the description of the metric with a name from a journal, or nullptr for an unknown name, for
/// example one from the journal of another program.
const MetricDescription* findMetric(std::string_view name);

/// Adds the metrics of a step again under their alternative names.
void addAliases(std::map<std::string, double>& metrics);

/// Returns the rank of a metric among the metrics that can represent a run of this stage in lists; the metric
/// with the smallest rank is chosen. Returns nullopt for other metrics.
std::optional<int> headlineRank(std::string_view stage, std::string_view name);

/// Returns a Markdown table of all metrics, for docs/metrics.md.
std::string describeMetricsMarkdown();

} // namespace sparserl
