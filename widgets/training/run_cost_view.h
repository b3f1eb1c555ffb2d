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

/// Shows how runs spend their time: the seconds of a step by activity, and the totals. Also shows how much of
/// its machine a run uses.
class RunCostView : public QWidget
{
    Q_OBJECT

public:
    explicit RunCostView(QWidget* parent = nullptr);

    /// Reads the figures again only if a run has made progress.
    void show(ProjectSession* session, const std::vector<RunSummary>& runs);
    void clear();
    const QTableWidget* table() const { return m_table; }
    const ChartWidget* chart() const { return m_chart; }
    const QLabel* machine() const { return m_machine; }

Q_SIGNALS:
    void problem(const QString& sentence);

private:
    /// The figures of one run.
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
    /// The runs, with their steps, for which figures were last requested.
    std::vector<std::pair<RunId, std::int64_t>> m_asked;
    JobTracker m_jobs{this};
};

} // namespace sparserl
