// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/session.h"
#include "widgets/kernels/command_job.h"

#include <QDialog>
#include <QTemporaryDir>
#include <memory>
#include <vector>

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace sparserl {

/// A program and a matrix as files, for the command line.
struct JobFiles
{
    std::shared_ptr<QTemporaryDir> directory; ///< Removed with the last owner.
    QString program, matrix;
};
/// Writes the program and the matrix. Call it on the work thread.
Result<JobFiles> writeJobFiles(Project& project, const std::string& text, const std::string& matrixDigest);

/// Exports kernels: asks for folder and licence, runs `sparserl export` for each in turn, and reports the
/// bundle or the failure of each. Skips incorrect programs.
class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    ExportDialog(ProjectSession* session, std::vector<CandidateRow> candidates, QWidget* parent);
    QTableWidget* table() const { return m_table; }
    /// The results, one line each, with tabs between columns.
    QString report() const;

public Q_SLOTS:
    void start();
    /// Stops and discards the current bundle; finished ones stay.
    void cancel();

private:
    void next();
    void done(const QString& problem);
    void finish();
    void setState(int row, const QString& text, bool good);
    QString folderOf(std::size_t candidate) const;

    ProjectSession* m_session;
    std::vector<CandidateRow> m_candidates;
    std::size_t m_at = 0;
    QString m_folder; ///< The initial value of `m_target`.
    int m_written = 0, m_failed = 0;
    bool m_running = false, m_cancelled = false;
    QTableWidget* m_table;
    QLineEdit *m_target, *m_licence;
    QLabel* m_outcome;
    QProgressBar* m_progress;
    QDialogButtonBox* m_buttons;
    QPushButton *m_export, *m_show = nullptr, *m_copy = nullptr; ///< The last two exist once there is a
                                                                 ///< result.
    CommandJob m_command{this};
    TaskTicket m_task;
};

} // namespace sparserl
