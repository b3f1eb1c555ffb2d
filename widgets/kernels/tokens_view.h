// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/session.h"
#include "widgets/kernels/command_job.h"
#include "widgets/kernels/export_dialog.h"

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace sparserl {

/// The tokens of a program under a policy of the project, each with its probability, its entropy, its
/// advantage if a policy was trained on the program, its part of the program, and where the verifier stops
/// it. A child process computes them on demand.
class TokensView : public QWidget
{
    Q_OBJECT

public:
    explicit TokensView(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    void show(const CandidateRow& candidate);
    QTableWidget* table() const { return m_table; }
    QComboBox* policies() const { return m_policies; }
    QLabel* note() const { return m_note; }
    QPushButton* button() const { return m_button; }
    bool busy() const { return m_running; }

public Q_SLOTS:
    /// Asks the chosen policy, or gives this up.
    void compute();

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Known
    {
        std::string text;
        std::vector<AdvantageRun> advantages;
        std::vector<CheckpointRow> checkpoints;
    };
    void load();
    void fillPolicies(const std::vector<CheckpointRow>& checkpoints);
    void start(const JobFiles& files);
    void ended(const std::vector<nlohmann::json>& lines, const QString& problem);
    void fillRow(int row, const nlohmann::json& line);
    void markStop(std::int64_t at, const QString& reason);
    void setRunning(bool running);

    ProjectSession* m_session = nullptr;
    std::optional<CandidateRow> m_candidate;
    std::string m_text; ///< Of the program.
    std::vector<AdvantageRun> m_advantages;
    bool m_stale = false, m_running = false;
    QComboBox* m_policies;
    QPushButton* m_button;
    QLabel* m_note;
    QProgressBar* m_bar;
    QTableWidget* m_table;
    JobFiles m_files;
    JobTracker m_jobs{this}, m_fileJobs{this};
    CommandJob m_command{this};
};

} // namespace sparserl
