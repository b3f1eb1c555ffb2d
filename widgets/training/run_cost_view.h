// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/run_cost.h"
#include "widgets/common/session.h"

#include <QWidget>
#include <vector>

class QLabel;
class QTableWidget;

namespace sparserl {

class ChartWidget;

/// Where the time of runs goes: seconds of a step by what they were spent on, and what that makes in all; and
/// what the runs take of their machine.
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
    const QLabel* machine() const { return m_machine; }

Q_SIGNALS:
    void problem(const QString& sentence);

private:
    /// What is known of one run.
    struct Known
    {
        RunCost cost;
        QString system; ///< systemSummary()
    };
    void fill(const std::vector<RunSummary>& runs, const std::vector<Known>& known);
    void fillMachine(const std::vector<RunSummary>& runs, const std::vector<Known>& known);

    ChartWidget* m_chart;
    QTableWidget* m_table;
    QLabel* m_machine;
    std::vector<std::pair<RunId, std::int64_t>> m_asked; ///< Runs and their steps.
    JobTracker m_jobs{this};
};

} // namespace sparserl
