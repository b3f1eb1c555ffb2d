// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"
#include "widgets/common/session.h"
#include "widgets/kernels/command_job.h"
#include "widgets/kernels/export_dialog.h"

#include <QDialog>
#include <map>
#include <optional>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QListWidget;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace sparserl {

class SourceView;

/// A program that a policy wrote here.
struct PolicyProgram
{
    std::string text, family;
    TargetId target;
    std::optional<VerdictRecord> record;
    std::string stopReason; ///< Why sampling was ended.
};

/// Lets a policy of the project write programs for chosen matrices, here and now: they appear with their
/// verdicts as they come. The runs know nothing of them; one that is chosen can be changed, judged and saved.
class WriteDialog : public QDialog
{
    Q_OBJECT

public:
    WriteDialog(ProjectSession* session, QWidget* parent);
    QListWidget* matrices() const { return m_matrices; }
    QComboBox* policies() const { return m_policies; }
    QSpinBox* count() const { return m_count; }
    QTableWidget* table() const { return m_table; }
    QLabel* outcome() const { return m_outcome; }
    bool running() const { return m_running; }

public Q_SLOTS:
    /// Begins, or gives up what is under way; what came stays.
    void start();

private:
    struct Choices
    {
        std::vector<CheckpointRow> checkpoints;
        std::vector<MatrixRow> matrices;
    };
    void fill(const Choices& choices);
    void run(std::map<std::string, JobFiles> files);
    void take(const nlohmann::json& line);
    void ended(const QString& problem);
    void setRunning(bool running);
    void showProgram();
    void editProgram();

    ProjectSession* m_session;
    QComboBox* m_policies;
    QListWidget* m_matrices;
    QSpinBox* m_count;
    QDoubleSpinBox* m_temperature;
    QProgressBar* m_busy;
    QTableWidget* m_table;
    SourceView* m_source;
    QLabel* m_outcome;
    QPushButton *m_start, *m_edit;
    std::vector<PolicyProgram> m_programs;
    std::map<std::string, JobFiles> m_files; ///< By digest.
    bool m_running = false;
    JobTracker m_jobs{this}, m_fileJobs{this};
    CommandJob m_command{this};
};

} // namespace sparserl
