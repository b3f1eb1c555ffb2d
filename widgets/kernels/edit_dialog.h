// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/program_judge.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QTimer;

namespace sparserl {

class BadgeLabel;
class ProfileView;
class SourcePair;

/// A copy of a program that can be changed and judged at once, beside the program it came from: what differs,
/// what became of it, every measure against the original. The runs know nothing of it; it can be saved.
class EditDialog : public QDialog
{
    Q_OBJECT

public:
    EditDialog(ProjectSession* session, ComparedProgram original,
               const std::map<std::string, ParameterValue>& settings, QWidget* parent);
    SourcePair* sources() const { return m_sources; }
    ProfileView* profile() const { return m_profile; }
    QLabel* outcome() const { return m_outcome; }

public Q_SLOTS:
    /// Judges what stands in the editor, or gives up what is being judged.
    void evaluate();
    void save();

private:
    void judged(const VerdictRecord& record);
    void setRunning(bool running);
    QString text() const;

    ProjectSession* m_session;
    ComparedProgram m_original;
    std::map<std::string, ParameterValue> m_settings;
    SourcePair* m_sources;
    ProfileView* m_profile;
    BadgeLabel* m_badge;
    QLabel* m_outcome;
    QPushButton* m_evaluate;
    QTimer* m_typing;
    ProgramJudge m_judge{this, tr("Judging of an edited copy")};
};

} // namespace sparserl
