// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/read_warnings.h"

#include <QDialog>
#include <QList>
#include <QString>

class QTableWidget;

namespace sparserl {

/// A problem with a file that was not imported, or that was imported with a warning.
struct ImportProblem
{
    QString file;
    QString reason; ///< Shown beside the file, so it does not name the file; begins with "line 3: " if a line
                    ///< is known.

    QString sentence() const; ///< "FILE: REASON"
};
/// The problem for an error. `file`: the name that the user knows. If the error is in another file, or in a
/// member of an archive, the problem names that instead.
ImportProblem importProblem(const QString& file, Error error);
ImportProblem importProblem(const QString& file, const MatrixWarning& warning);

/// Lists every file that was not imported, or was imported with a warning, and the reason.
class ImportReport : public QDialog
{
    Q_OBJECT

public:
    ImportReport(const QList<ImportProblem>& problems, QWidget* parent);
    QTableWidget* table() const { return m_table; }
    /// One line "FILE<tab>REASON" per problem.
    QString text() const;

private:
    QList<ImportProblem> m_problems;
    QTableWidget* m_table;
};

} // namespace sparserl
