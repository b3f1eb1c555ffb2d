// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"

#include <QWidget>
#include <vector>

class QCheckBox;
class QLineEdit;
class QTableWidget;

namespace sparserl {

/// Shows the parameters with which runs were started, side by side. For one run, values that are not the
/// default are highlighted; for several runs, values that differ from the first run.
class RunParameters : public QWidget
{
    Q_OBJECT

public:
    explicit RunParameters(QWidget* parent = nullptr);

    /// Shows the parameters of these runs. Reads nothing if the runs are the same as before.
    void show(ProjectSession* session, const std::vector<RunSummary>& runs);
    void clear();
    const QTableWidget* table() const { return m_table; }
    void setOnlyDifferent(bool on);

Q_SIGNALS:
    void problem(const QString& sentence);

private:
    struct Column
    {
        RunSummary run;
        RunConfig config;
    };
    void fill();
    void filter();

    QLineEdit* m_search;
    QCheckBox* m_different;
    QTableWidget* m_table;
    std::vector<RunId> m_asked;
    std::vector<Column> m_columns;
    JobTracker m_jobs{this};
};

} // namespace sparserl
