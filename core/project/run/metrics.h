// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A metric's name as the journal has it: metric::ppoKl is "actor/ppo_kl". Of metrics with parts it is what
/// the parts are appended to.
struct MetricId
{
    std::string_view text;

    operator std::string() const { return std::string(text); }
    /// "critic/score" and "mean": "critic/score/mean"; a part that begins with '_' or '@' is appended as it
    /// is.
    std::string part(std::string_view name) const;
};

/// What metrics of the machine have in the place of a split of matrices. They come from a clock: no two runs
/// have the same.
inline constexpr const char* systemSplit = "system";

/// Every name of metrics.def.
namespace metric {
#define SPARSERL_METRIC(IDENTIFIER, NAME, ...) inline constexpr MetricId IDENTIFIER{NAME};
#define SPARSERL_METRIC_ALIAS SPARSERL_METRIC
#include "project/run/metrics.def"
#undef SPARSERL_METRIC_ALIAS
#undef SPARSERL_METRIC
} // namespace metric

/// Everything there is to know about a metric. Charts, lists, the command line and docs/metrics.md come from
/// it.
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
        parts;             ///< What stands behind the name; empty: the name alone. '#' is a number.
    std::string_view unit; ///< "per token", "share", "s", ...; may be empty.
    Better better = Better::Neither;
    std::string_view panel; ///< Heading that it belongs under: "Reward", "KL", ...
    std::string help;       ///< One sentence.

    /// All names: "critic/score/mean", ...; "pass@#" where a part has a number.
    std::vector<std::string> names() const;
};
/// In the order of metrics.def.
std::span<const MetricDescription> metricDescriptions();
/// The one that a name of a journal belongs to; nullptr for an unknown one, as of another program's journal.
const MetricDescription* findMetric(std::string_view name);

/// Adds to the metrics of a step what others call the same numbers, where those are there.
void addAliases(std::map<std::string, double>& metrics);

/// The metric that a list shows of a run of this stage: a smaller rank is taken first. Nothing where it is
/// not one of those.
std::optional<int> headlineRank(std::string_view stage, std::string_view name);

/// Markdown table of all metrics, for docs/metrics.md.
std::string describeMetricsMarkdown();

} // namespace sparserl
