// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <string>
#include <vector>

namespace sparserl {

/// One chart: what it is called, which metrics it shows (those that a run has), and how to read it.
struct MetricPanel
{
    QString title;
    std::vector<std::string> metrics; ///< Names of project/run/metrics.def; several make several curves.
    QString hint;                     ///< Unit, and which direction is good.
    QString missing;                  ///< What to say where a run has none of them.
    bool zeroBased = false;
};

/// A metric in words: "record gain" of "search/record_gain".
QString metricWords(const std::string& metric);
/// The charts that a stage is read by first (SparseRL Fig. 4: reward, KL, entropy, value loss). The metrics
/// of a chart have one unit.
std::vector<MetricPanel> defaultPanels(const std::string& stage);
/// A chart for one metric that the user picked.
MetricPanel panelFor(const std::string& metric);

} // namespace sparserl
