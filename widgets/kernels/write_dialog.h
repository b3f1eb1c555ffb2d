// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
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
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace sparserl {

class PolicyChoice;
class SourceView;

/// A program that a policy has written in this dialog, or is writing.
struct PolicyProgram
{
    std::int64_t sample = 0; ///< Its number among the samples for its target.
    bool complete = false;
    std::string text, family;
    TargetId target;
    std::optional<VerdictRecord> record;
    std::string stopReason; ///< Why sampling was stopped.
    std::int64_t tokens = 0;
    double logProb = 0;
    bool kept = false; ///< Whether it has been stored as a candidate of the project.
};

/// Lets a policy of the project write programs for chosen matrices. Programs and verdicts appear as they
/// arrive. Each program becomes a separate candidate (project/run/written_programs.h).
class WriteDialog : public QDialog
{
    Q_OBJECT

public:
    /// Ticks the matrices with these digests; none: the first matrix.
    WriteDialog(ProjectSession* session, QWidget* parent, std::vector<std::string> digests = {});
    PolicyChoice* choice() const { return m_choice; }
    SourceView* source() const { return m_source; }
    const std::vector<PolicyProgram>& programs() const { return m_programs; }
    QSpinBox* count() const { return m_count; }
    QTableWidget* table() const { return m_table; }
    QLabel* outcome() const { return m_outcome; }
    bool running() const { return m_running; }

public Q_SLOTS:
    /// Starts writing, or cancels the current command. Programs that have arrived stay.
    void start();
    void done(int result) override;

private:
    void run(std::map<std::string, JobFiles> files);
    void take(const nlohmann::json& line);
    void takeText(const nlohmann::json& line);
    void takeProgram(const nlohmann::json& line);
    /// Returns the row of a program, and adds one if it has none.
    int rowOf(const std::string& digest, std::int64_t sample);
    void fillRow(int row);
    void keep(PolicyProgram& program);
    /// Advice if most programs are incorrect, or empty.
    QString advice(std::int64_t correct) const;
    /// Stores the programs that have a verdict, and are therefore complete, while others are still being
    /// written.
    void keepJudged();
    void ended(const QString& problem);
    void setRunning(bool running);
    void showProgram();
    void editProgram();

    ProjectSession* m_session;
    PolicyChoice* m_choice;
    QSpinBox* m_count;
    QDoubleSpinBox* m_temperature;
    QProgressBar* m_busy;
    QTableWidget* m_table;
    SourceView* m_source;
    QLabel* m_outcome;
    QPushButton *m_start, *m_edit;
    std::vector<PolicyProgram> m_programs;
    std::map<std::string, JobFiles> m_files; ///< By digest.
    std::string m_policy;                    ///< The policy that writes, as RUN/CHECKPOINT.
    QString m_lost;                          ///< Why programs could not be kept.
    bool m_asked = false;                    ///< The user knows that closing discards them.
    double m_ownTemperature = 0;             ///< The policy's own temperature; 0: not reported yet.
    bool m_running = false;
    JobTracker m_fileJobs{this};
    CommandJob m_command{this};
    TaskTicket m_task;
};

} // namespace sparserl
