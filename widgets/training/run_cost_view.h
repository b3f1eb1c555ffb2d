// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run_cost.h"
#include "widgets/common/session.h"

#include <QWidget>
#include <vector>

class QTableWidget;

namespace sparserl {

class ChartWidget;

/// Where the time of runs goes: seconds of a step by what they were spent on, and what that makes in all.
class RunCostView : public QWidget
{
    Q_OBJECT

public:
    explicit RunCostView(QWidget* parent = nullptr);

    /// Reads again only when a run has gone on.
    void show(ProjectSession* session, const std::vector<RunSummary>& runs);
    void clear();
    const QTableWidget* table() const { return m_table; }
    const ChartWidget* chart() const { return m_chart; }

Q_SIGNALS:
    void problem(const QString& sentence);

private:
    void fill(const std::vector<RunSummary>& runs, const std::vector<RunCost>& costs);

    ChartWidget* m_chart;
    QTableWidget* m_table;
    std::vector<std::pair<RunId, std::int64_t>> m_asked; ///< Runs and their steps.
    JobTracker m_jobs{this};
};

} // namespace sparserl
