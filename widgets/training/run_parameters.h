// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"

#include <QWidget>
#include <vector>

class QCheckBox;
class QLineEdit;
class QTableWidget;

namespace sparserl {

/// With what runs were started, side by side: of one run what is not the default stands out, of several what
/// is not as in the first.
class RunParameters : public QWidget
{
    Q_OBJECT

public:
    explicit RunParameters(QWidget* parent = nullptr);

    /// The same runs again: reads nothing.
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
