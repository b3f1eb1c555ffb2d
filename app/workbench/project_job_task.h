// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/project_job.h"
#include "widgets/common/session.h"

#include <QTimer>

namespace sparserl {

/// Shows the project's job (`sparserl job`) as an entry of the task list, with its progress and result. The
/// job is a separate process. It continues after the window closes, and the window finds it again.
class ProjectJobTask : public QObject
{
    Q_OBJECT

public:
    explicit ProjectJobTask(QObject* parent = nullptr);
    /// Sets the open project; null: none is open.
    void setSession(ProjectSession* session);
    void start();
    /// Stops the job after it has saved a checkpoint, from which it continues the next time.
    void stop();
    bool isRunning() const { return m_running; }

Q_SIGNALS:
    void started();
    void problem(const QString& sentence);
    /// The job has ended. `sentence`: its last message.
    void ended(const QString& sentence, bool failed);

private:
    struct Look
    {
        bool running = false;
        std::string line; ///< The last line of its log.
        JobProgress progress;
    };
    /// What the job is doing, or how it ended.
    QString textOf(const Look& now) const;
    void look();
    void take(const Look& now);

    QPointer<ProjectSession> m_session;
    JobTracker m_looking{this}, m_acting{this};
    QTimer m_timer;
    TaskTicket m_task;
    bool m_running = false, m_stopping = false;
    std::int64_t m_launched = 0; ///< Id of the process that this window started, until it has ended.
};

} // namespace sparserl
