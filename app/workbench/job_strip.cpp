// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/job_strip.h"

#include "project/launch.h"
#include "project/project_job.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace sparserl {

namespace {

constexpr int whileRunning = 1000, otherwise = 5000; ///< Milliseconds; a terminal may start the job too.

} // namespace

JobStrip::JobStrip(QWidget* parent)
    : QWidget(parent)
    , m_text(new QLabel(this))
    , m_stop(makeToolButton(QStringLiteral("stop"), tr("Stop"),
                            tr("Stop the job: it saves a checkpoint, and goes on from there the next time"),
                            this))
{
    setObjectName(QStringLiteral("JobStrip"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_stop);
    connect(m_stop, &QToolButton::clicked, this, &JobStrip::stop);
    connect(&m_timer, &QTimer::timeout, this, &JobStrip::look);
    hide();
}

void JobStrip::setSession(ProjectSession* session)
{
    m_looking.cancel();
    m_acting.cancel();
    m_session = session;
    m_running = false;
    m_launched = 0;
    hide();
    if (!session) {
        m_timer.stop();
        return;
    }
    m_timer.start(otherwise);
    look();
}

void JobStrip::start()
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
            show({true, {}});
            Q_EMIT started();
        });
}

void JobStrip::stop()
{
    if (!m_session || m_acting.running())
        return;
    m_stop->setEnabled(false);
    m_text->setText(tr("The job saves a checkpoint and ends…"));
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

void JobStrip::look()
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
                show(*now);
        });
}

void JobStrip::show(const Look& now)
{
    const QString line = toQString(now.line);
    if (m_running && !now.running)
        Q_EMIT ended(line);
    if (now.running) {
        if (!m_running)
            m_stop->setEnabled(true);
        if (m_stop->isEnabled())
            m_text->setText(line.isEmpty() ? tr("The job begins…") : tr("Job: %1").arg(line));
    }
    if (!now.running)
        m_launched = 0;
    if (m_running != now.running)
        m_timer.start(now.running ? whileRunning : otherwise);
    m_running = now.running;
    setVisible(now.running);
}

} // namespace sparserl
