// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"
#include "widgets/common/session.h"
#include "widgets/kernels/program_judge.h"

#include <QTimer>

namespace sparserl {

/// Counters per line of programs whose record has none: found on the simulator in the background a moment
/// after a program is shown, and kept in the project's cache/lines, so once for each.
class LineCounts : public QObject
{
    Q_OBJECT

public:
    explicit LineCounts(QObject* parent);
    /// What to count; the question before is dropped. Nothing is counted where nothing ran.
    void ask(ProjectSession* session, const VerdictRecord& record, JudgeQuestion question);
    void drop();
    bool counting() const { return m_counting; }

Q_SIGNALS:
    void counted(const sparserl::VerdictRecord& record);
    void failed(const QString& sentence);

private:
    void begin();
    void found(const VerdictRecord& record);

    ProjectSession* m_session = nullptr;
    JudgeQuestion m_question;
    std::filesystem::path m_file; ///< Where they are kept.
    bool m_counting = false;
    QTimer m_dwell;
    JobTracker m_reading{this}, m_writing{this};
    ProgramJudge m_judge{this, tr("Counting of lines"), true};
};

} // namespace sparserl
