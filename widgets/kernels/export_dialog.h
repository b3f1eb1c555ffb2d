// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"
#include "widgets/common/session.h"
#include "widgets/kernels/command_job.h"

#include <QDialog>
#include <QTemporaryDir>
#include <memory>

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace sparserl {

/// A program and a matrix as files, which is what the command line takes.
struct JobFiles
{
    std::shared_ptr<QTemporaryDir> directory; ///< Removed with the last owner.
    QString program, matrix;
};
/// Writes both (work thread).
Result<JobFiles> writeJobFiles(Project& project, const std::string& text, const std::string& matrixDigest);

/// Takes a kernel home: asks where to, runs `sparserl export`, and says where the bundle is.
class ExportDialog : public QDialog
{
    Q_OBJECT

public:
    ExportDialog(ProjectSession* session, const CandidateRow& candidate, QWidget* parent);

private:
    void start();
    void done(const std::vector<nlohmann::json>& lines, const QString& problem);

    ProjectSession* m_session;
    CandidateRow m_candidate;
    QLineEdit* m_target;
    QLabel* m_outcome;
    QProgressBar* m_busy;
    QDialogButtonBox* m_buttons;
    QPushButton *m_export, *m_show = nullptr; ///< The second once there is a folder.
    CommandJob m_command{this};
};

} // namespace sparserl
