// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/training/metric_panels.h"

#include <QStringList>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// Which charts of runs the user has hidden, and the order of the others. A chart is identified by its first
/// metric, so that the choice applies to all stages.
class ChartArrangement
{
public:
    static const std::string& keyOf(const MetricPanel& panel) { return panel.metrics.front(); }

    /// Returns the charts that are not hidden, in the user's order. A chart that was never moved follows the
    /// chart that precedes it in `panels`.
    std::vector<MetricPanel> arranged(const std::vector<MetricPanel>& panels) const;
    /// Moves one of the shown charts to the place of another.
    void move(const std::vector<MetricPanel>& shown, std::size_t from, std::size_t to);
    void setHidden(const std::string& key, bool on);
    bool hides(const std::string& key) const { return m_hidden.contains(key); }
    void showAll() { m_hidden.clear(); }

    /// Lines for files: "@chart=KEY" for the charts in order, and "@hidden=KEY".
    QStringList lines() const;
    static ChartArrangement fromLines(const QStringList& lines);

private:
    std::vector<std::string> m_order; ///< Empty: the original order.
    std::set<std::string> m_hidden;
};

} // namespace sparserl
