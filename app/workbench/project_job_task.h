// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/project_job.h"
#include "widgets/common/session.h"

#include <QTimer>

namespace sparserl {

/// The project's whole job (`sparserl job`) as an entry of the task list: what it says now, and its end. It
/// is a process of its own, which goes on when the window closes, and is found again.
class ProjectJobTask : public QObject
{
    Q_OBJECT

public:
    explicit ProjectJobTask(QObject* parent = nullptr);
    /// Null: no project is open.
    void setSession(ProjectSession* session);
    void start();
    /// It saves a checkpoint, and goes on from there the next time.
    void stop();
    bool isRunning() const { return m_running; }

Q_SIGNALS:
    void started();
    void problem(const QString& sentence);
    /// It ended; what it said last.
    void ended(const QString& sentence, bool failed);

private:
    struct Look
    {
        bool running = false;
        std::string line; ///< What it said last in its log.
        JobProgress progress;
    };
    /// What it does, or how it ended.
    QString textOf(const Look& now) const;
    void look();
    void take(const Look& now);

    QPointer<ProjectSession> m_session;
    JobTracker m_looking{this}, m_acting{this};
    QTimer m_timer;
    TaskTicket m_task;
    bool m_running = false, m_stopping = false;
    std::int64_t m_launched = 0; ///< The process that was started here, until it has ended.
};

} // namespace sparserl
