// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/tasks.h"
#include "widgets/kernels/command_job.h"
#include "widgets/kernels/export_dialog.h"

#include <QDialog>
#include <map>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace sparserl {

class PolicyChoice;

/// Trains a policy of the project for a short time on chosen matrices and ranks the kernels that it then
/// writes for them (`sparserl specialise`). The results go into a separate project. If the dialog is closed,
/// the work continues as an entry of the task list, and opening the dialog again shows the same form.
class SpecialiseDialog : public QDialog
{
    Q_OBJECT

public:
    /// `digests`: the matrices that are ticked initially.
    SpecialiseDialog(ProjectSession* session, std::vector<std::string> digests, QWidget* parent);
    PolicyChoice* choice() const { return m_choice; }
    QSpinBox* iterations() const { return m_iterations; }
    QSpinBox* samples() const { return m_samples; }
    QLineEdit* folder() const { return m_folder; }
    QTableWidget* table() const { return m_table; }
    QLabel* outcome() const { return m_outcome; }
    bool running() const { return m_running; }

public Q_SLOTS:
    /// Starts the work, or asks the running command to stop. With the folder of an earlier run, continues
    /// that run.
    void start();

Q_SIGNALS:
    /// The user wants to open the project that holds the results.
    void projectAsked(const QString& path);

protected:
    void done(int result) override;

private:
    void run(std::map<std::string, JobFiles> files);
    void take(const nlohmann::json& line);
    void ended(const QString& problem);
    void setRunning(bool running);
    QString report() const;

    ProjectSession* m_session;
    PolicyChoice* m_choice;
    QSpinBox *m_iterations, *m_samples;
    QLineEdit* m_folder;
    QCheckBox* m_export;
    QTableWidget* m_table;
    QProgressBar* m_progress;
    QLabel* m_outcome;
    QPushButton *m_start, *m_open;
    bool m_running = false;
    QString m_out;                           ///< The content of `m_folder` at the start.
    std::map<std::string, JobFiles> m_files; ///< Kept until the command has read them.
    JobTracker m_fileJobs{this};
    CommandJob m_command{this};
    TaskTicket m_task;
};

} // namespace sparserl
