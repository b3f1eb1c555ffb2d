// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/read_warnings.h"

#include <QDialog>
#include <QList>
#include <QString>

class QTableWidget;

namespace sparserl {

/// What became of a file that was not imported, or that is odd.
struct ImportProblem
{
    QString file;
    QString reason; ///< Stands beside the file, so it does not name it; "line 3: ..." where a line has it.

    QString sentence() const; ///< "FILE: REASON"
};
/// `file` as the user knows it. An error in something else, a member of an archive too, names that.
ImportProblem importProblem(const QString& file, Error error);
ImportProblem importProblem(const QString& file, const MatrixWarning& warning);

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
