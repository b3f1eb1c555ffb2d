// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"
#include "widgets/common/session.h"
#include "widgets/kernels/program_judge.h"

#include <QTimer>

namespace sparserl {

/// Adds counters per line for programs whose record has none. They are simulated in the background shortly
/// after a program is displayed, and cached in the project's cache/lines.
class LineCounts : public QObject
{
    Q_OBJECT

public:
    explicit LineCounts(QObject* parent);
    /// Requests counters, replacing the previous request. Does nothing if no part of the program ran.
    void ask(ProjectSession* session, const VerdictRecord& record, JudgeQuestion question);
    /// Whether any part of the program ran, so that there is something to count.
    static bool ran(const VerdictRecord& record);
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
    std::filesystem::path m_file; ///< The cache file.
    bool m_counting = false;
    QTimer m_dwell;
    JobTracker m_reading{this}, m_writing{this};
    ProgramJudge m_judge{this, tr("Counting of lines"), true};
};

} // namespace sparserl
