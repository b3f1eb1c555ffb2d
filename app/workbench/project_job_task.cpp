// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/project_job_task.h"

#include "project/launch.h"
#include "project/project_job.h"
#include "widgets/common/format.h"

namespace sparserl {

namespace {

constexpr int whileRunning = 1000, otherwise = 5000; ///< Milliseconds; a terminal may start the job too.

} // namespace

bool isErrorLine(const QString& line)
{
    return line.startsWith(QLatin1String("sparserl: ")); // errors begin with its name
}

ProjectJobTask::ProjectJobTask(QObject* parent)
    : QObject(parent)
{
    connect(&m_timer, &QTimer::timeout, this, &ProjectJobTask::look);
}

void ProjectJobTask::setSession(ProjectSession* session)
{
    m_looking.cancel();
    m_acting.cancel();
    m_session = session;
    m_task = {};
    m_running = m_stopping = false;
    m_launched = 0;
    if (!session) {
        m_timer.stop();
        return;
    }
    m_timer.start(otherwise);
    look();
}

void ProjectJobTask::start()
{
    if (!m_session || m_acting.running())
        return;
    m_session->look<std::int64_t>(
        m_acting,
        [](const std::filesystem::path& project) -> Result<std::int64_t> {
            SPARSERL_TRY(const auto binary, findSparserlBinary());
            return launchJob(project, binary);
        },
        [this](Result<std::int64_t> pid) {
            if (!pid) {
                Q_EMIT problem(sentenceOf(pid.error()));
                return;
            }
            m_launched = *pid;
            take({true, {}});
            Q_EMIT started();
        });
}

void ProjectJobTask::stop()
{
    if (!m_session || m_stopping)
        return;
    m_stopping = true;
    m_task.say(-1, tr("It saves a checkpoint and ends."));
    m_session->look<bool>(
        m_acting,
        [](const std::filesystem::path& project) -> Result<bool> {
            SPARSERL_CHECK(stopJob(project));
            return true;
        },
        [this](Result<bool> sent) {
            if (!sent)
                Q_EMIT problem(sentenceOf(sent.error()));
        });
}

void ProjectJobTask::look()
{
    if (!m_session || m_looking.running() || m_acting.running())
        return;
    m_session->look<Look>(
        m_looking,
        [launched = m_launched](const std::filesystem::path& project) -> Result<Look> {
            Look now;
            now.running = runningJob(project, launched).has_value();
            for (const std::string& line : jobLogTail(project, 12)) {
                if (!line.empty())
                    now.line = line;
            }
            return now;
        },
        [this](Result<Look> now) {
            if (now)
                take(*now);
        });
}

void ProjectJobTask::take(const Look& now)
{
    const QString line = toQString(now.line);
    if (now.running && !m_running)
        m_task = TaskTicket(m_session->tasks(), {tr("Job"), m_session->title()}, [this] { stop(); });
    if (now.running && !m_stopping)
        m_task.say(-1, line.isEmpty() ? tr("It begins…") : line);
    if (!now.running) {
        if (isErrorLine(line))
            m_task.failed(line);
        else if (m_stopping)
            m_task.cancelled(line);
        else
            m_task.done(line);
        m_stopping = false;
        m_launched = 0;
    }
    if (m_running != now.running)
        m_timer.start(now.running ? whileRunning : otherwise);
    const bool over = m_running && !now.running;
    m_running = now.running;
    if (over)
        Q_EMIT ended(line);
}

} // namespace sparserl
