// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <string>
#include <vector>

namespace sparserl {

/// The description of a chart: its title, its metrics (of which a run may have only some), and how to read
/// it.
struct MetricPanel
{
    QString title;
    std::vector<std::string> metrics; ///< Names from project/run/metrics.def. Each metric is one curve.
    QString hint;                     ///< The unit, and whether higher or lower is better.
    QString missing;                  ///< The text for a run that has none of the metrics.
    bool zeroBased = false;
};

/// The name of a metric in words: "record gain" for "search/record_gain".
QString metricWords(const std::string& metric);
/// The default charts of a stage (SparseRL Fig. 4: reward, KL, entropy, value loss). All metrics of a chart
/// have the same unit.
std::vector<MetricPanel> defaultPanels(const std::string& stage);
/// A chart for one metric that the user has selected.
MetricPanel panelFor(const std::string& metric);

} // namespace sparserl
