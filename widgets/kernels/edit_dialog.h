// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/program_judge.h"

#include <QDialog>
#include <functional>
#include <map>
#include <optional>
#include <string>

class QLabel;
class QPushButton;
class QTimer;

namespace sparserl {

class BadgeLabel;
class CopyCode;
class ProfileView;
class SourcePair;

/// Shows an editable copy of a program beside its original, with their differences. The copy can be judged
/// immediately; its results and measures are compared with those of the original. Judged texts, and the text
/// at closing, become separate candidates (project/run/written_programs.h).
class EditDialog : public QDialog
{
    Q_OBJECT

public:
    EditDialog(ProjectSession* session, ComparedProgram original,
               const std::map<std::string, ParameterValue>& settings, QWidget* parent);
    SourcePair* sources() const { return m_sources; }
    ProfileView* profile() const { return m_profile; }
    QLabel* outcome() const { return m_outcome; }
    CopyCode* code() const { return m_code; }

public Q_SLOTS:
    /// Judges the text in the editor, or cancels the current judgement.
    void evaluate();
    void save();
    /// Closes after saving the text. If saving fails, reports it; closing again discards the text.
    void done(int result) override;

protected:
    /// Esc cancels the current judgement; otherwise it closes the dialog and keeps the copy.
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Stores the text as a candidate unless it already is one. `record`: its verdict, if any.
    void keep(const std::optional<VerdictRecord>& record, std::function<void(const Status&)> then);
    static QString keptProblem(const Error& error);
    void judged(const VerdictRecord& record);
    void setRunning(bool running);
    QString text() const;

    ProjectSession* m_session;
    ComparedProgram m_original;
    std::map<std::string, ParameterValue> m_settings;
    SourcePair* m_sources;
    ProfileView* m_profile;
    CopyCode* m_code;
    BadgeLabel* m_badge;
    QLabel* m_outcome;
    QPushButton* m_evaluate;
    QTimer* m_typing;
    std::map<std::string, bool> m_kept; ///< Hashes of stored texts, and whether they have a verdict.
    std::optional<int> m_closing;       ///< Result for closing after the text is saved.
    std::string m_lost;                 ///< The text that could not be saved.
    ProgramJudge m_judge{this, tr("Judging of an edited copy")};
};

} // namespace sparserl
