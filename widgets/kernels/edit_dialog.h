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

/// A copy of a program that can be changed and judged at once, beside the program it came from: what differs,
/// what became of it, every measure against the original. What was judged, and what is there when the window
/// is closed, becomes a candidate of its own (project/run/written_programs.h).
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
    /// Judges what stands in the editor, or gives up what is being judged.
    void evaluate();
    void save();
    /// Closes once the text is kept. If it cannot be, the sentence says so, and closing again throws it away.
    void done(int result) override;

protected:
    /// Esc gives up what is being judged; when nothing is, it closes, and the copy is kept.
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Makes a candidate of the text, unless it is one already. `record`: its verdict, if it has one.
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
    std::map<std::string, bool> m_kept; ///< Hashes of texts that are candidates, and whether with a verdict.
    std::optional<int> m_closing;       ///< What to close with once the text is kept.
    std::string m_lost;                 ///< The text that could not be kept.
    ProgramJudge m_judge{this, tr("Judging of an edited copy")};
};

} // namespace sparserl
