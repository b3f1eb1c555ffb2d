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

/// A program and a matrix as files, which is what the command line takes.
struct JobFiles
{
    std::shared_ptr<QTemporaryDir> directory; ///< Removed with the last owner.
    QString program, matrix;
};
/// Writes both (work thread).
Result<JobFiles> writeJobFiles(Project& project, const std::string& text, const std::string& matrixDigest);

/// Takes kernels home: asks where to and under which licence, runs `sparserl export` for one after the other,
/// and says of each where its bundle is or why there is none. Programs that are not correct are left out.
class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    ExportDialog(ProjectSession* session, std::vector<CandidateRow> candidates, QWidget* parent);
    QTableWidget* table() const { return m_table; }
    /// What became of each, a line each, tabs between the columns.
    QString report() const;

public Q_SLOTS:
    void start();
    /// Ends after the bundle that is being written was given up; those before stay.
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
    QString m_folder; ///< What `m_target` said at the start.
    int m_written = 0, m_failed = 0;
    bool m_running = false, m_cancelled = false;
    QTableWidget* m_table;
    QLineEdit *m_target, *m_licence;
    QLabel* m_outcome;
    QProgressBar* m_progress;
    QDialogButtonBox* m_buttons;
    QPushButton *m_export, *m_show = nullptr, *m_copy = nullptr; ///< The last two once there is something.
    CommandJob m_command{this};
    TaskTicket m_task;
};

} // namespace sparserl
