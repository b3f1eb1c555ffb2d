// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QList>
#include <QString>

class QTableWidget;

namespace sparserl {

/// What became of a file that was not imported, or that is odd.
struct ImportProblem
{
    QString file, reason;
};

/// Every file that an import could not take, or took with a warning, and why.
class ImportReport : public QDialog
{
    Q_OBJECT

public:
    ImportReport(const QList<ImportProblem>& problems, QWidget* parent);
    QTableWidget* table() const { return m_table; }
    /// "FILE<tab>REASON" a line.
    QString text() const;

private:
    QList<ImportProblem> m_problems;
    QTableWidget* m_table;
};

} // namespace sparserl
