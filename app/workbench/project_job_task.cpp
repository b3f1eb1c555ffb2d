// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/project_job_task.h"

#include "project/run/launch.h"
#include "project/run/project_job.h"
#include "widgets/common/format.h"

#include <QRegularExpression>

namespace sparserl {

namespace {

constexpr int whileRunning = 1000, otherwise = 5000; ///< Milliseconds; a terminal may start the job too.

/// What a line of the job's log says, without the time and the level of a log entry.
std::string wordsOf(const std::string& line)
{
    static const QRegularExpression stamp(QStringLiteral("^\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z [a-z]+ +"));
    return QString::fromStdString(line).remove(stamp).toStdString();
}

} // namespace

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
            take({true, {}, {}});
            Q_EMIT started();
        });
}

void ProjectJobTask::stop()
{
    if (!m_session || m_stopping)
        return;
    m_stopping = true;
    m_task.say(-1, tr("The run saves a checkpoint and ends."));
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
            // One that was just started has said nothing yet: what is there is of the job before.
            if (auto progress = readJobProgress(project);
                progress && (!now.running || progress->outcome == "running"))
                now.progress = std::move(*progress);
            for (const std::string& line : jobLogTail(project, 12)) {
                if (!line.empty())
                    now.line = wordsOf(line);
            }
            return now;
        },
        [this](Result<Look> now) {
            if (now)
                take(*now);
        });
}

QString ProjectJobTask::textOf(const Look& now) const
{
    const JobProgress& job = now.progress;
    QString line = job.logged || m_launched > 0 ? toQString(now.line) : QString();
    if (now.running && job.number > 0) {
        const QString stage =
            tr("Stage %1 of %2: %3").arg(job.number).arg(job.stages).arg(toQString(job.stage));
        if (!job.logged)
            return tr("%1; the job was started in a terminal.").arg(stage);
        return line.isEmpty() ? stage : QStringLiteral("%1. %2").arg(stage, line);
    }
    if (now.running)
        return line.isEmpty() ? tr("Starting…") : line;
    if (!job.message.empty())
        return asSentence(toQString(job.message));
    if (job.outcome != "done") // it was killed, or ended before it could say anything
        return line.isEmpty() ? tr("The job ended without a message.") : line;
    return job.stages == 1 ? tr("The stage is done.") : tr("All %1 stages are done.").arg(job.stages);
}

void ProjectJobTask::take(const Look& now)
{
    const QString text = textOf(now);
    if (now.running && !m_running)
        m_task = TaskTicket(m_session->tasks(), {tr("Job"), m_session->title()}, [this] { stop(); });
    if (now.running && !m_stopping)
        m_task.say(-1, text);
    if (now.running)
        m_task.since(now.progress.began);
    // Who says nothing of its end has come to none.
    const bool failed = now.progress.outcome != "done" && now.progress.outcome != "stopped";
    if (!now.running) {
        if (now.progress.outcome == "stopped" || (m_stopping && failed))
            m_task.cancelled(text);
        else if (failed)
            m_task.failed(text);
        else
            m_task.done(text);
        m_stopping = false;
        m_launched = 0;
    }
    if (m_running != now.running)
        m_timer.start(now.running ? whileRunning : otherwise);
    const bool over = m_running && !now.running;
    m_running = now.running;
    if (over)
        Q_EMIT ended(text, failed);
}

} // namespace sparserl
