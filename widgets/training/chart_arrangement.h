// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/training/metric_panels.h"

#include <QStringList>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// Which charts of runs the user has hidden, and in which order the others stand. A chart is known by its
/// first metric, so that the choice holds for all stages.
class ChartArrangement
{
public:
    static const std::string& keyOf(const MetricPanel& panel) { return panel.metrics.front(); }

    /// Those that are not hidden. What was never moved keeps its place behind the one before it.
    std::vector<MetricPanel> arranged(const std::vector<MetricPanel>& panels) const;
    /// Puts a chart of those that are shown into the place of another.
    void move(const std::vector<MetricPanel>& shown, std::size_t from, std::size_t to);
    void setHidden(const std::string& key, bool on);
    bool hides(const std::string& key) const { return m_hidden.contains(key); }
    void showAll() { m_hidden.clear(); }

    /// For files: "@chart=KEY" in their order, "@hidden=KEY".
    QStringList lines() const;
    static ChartArrangement fromLines(const QStringList& lines);

private:
    std::vector<std::string> m_order; ///< Empty: as they come.
    std::set<std::string> m_hidden;
};

} // namespace sparserl
