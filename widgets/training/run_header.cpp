// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_header.h"

#include "base/time.h"
#include "training/parameters/stage_parameters.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/training/run_model.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

/// A worker tells where it is twice a second, unless one piece of work takes longer.
constexpr double newsSeconds = 8;

/// A phase as "iteration 3/10: sampling" without its step, which stands beside it.
QString withoutStep(QString phase)
{
    static const QRegularExpression step(QStringLiteral("^(iteration|step) \\d+/\\d+(: )?"));
    return phase.remove(step);
}

/// Since when the machine of a run is not reached, why, and what to do.
QString unreachedText(const RunSummary& run)
{
    const RemoteMark& mark = *run.remote;
    const QString host = toQString(mark.host);
    const double since = mark.since > 0 ? mark.since : mark.reached;
    const auto when = QDateTime::fromSecsSinceEpoch(static_cast<qint64>(since));
    QString text = since > 0 ? RunHeader::tr("%1 has not been reached since %2")
                                   .arg(host, QLocale().toString(when, QLocale::ShortFormat))
                             : RunHeader::tr("%1 was never reached").arg(host);
    if (!mark.problem.empty())
        text += QStringLiteral(": ") + toQString(mark.problem);
    if (!mark.remedy.empty())
        text += QStringLiteral(". ") + toQString(mark.remedy);
    return text.endsWith(QLatin1Char('.')) ? text : QString(text + QLatin1Char('.'));
}

} // namespace

RunHeader::RunHeader(QWidget* parent)
    : QWidget(parent)
    , m_title(makeHeading({}, this, 1.2))
    , m_subtitle(makeMuted({}, this))
    , m_phase(makeMuted({}, this))
    , m_left(makeMuted({}, this))
    , m_lastLines(makeMuted({}, this))
    , m_badge(new BadgeLabel(this))
    , m_progress(new QProgressBar(this))
    , m_star(makeToolButton(QStringLiteral("star"), {}, tr("Star this run"), this))
    , m_pause(makeToolButton(QStringLiteral("pause"), tr("Pause"), tr("Pause after the current step"), this))
    , m_resume(makeToolButton(QStringLiteral("play"), tr("Resume"), tr("Resume the run"), this))
    , m_checkpoint(makeToolButton(QStringLiteral("checkpoint"), tr("Checkpoint"),
                                  tr("Write a checkpoint after the current step"), this))
    , m_stop(
          makeToolButton(QStringLiteral("stop"), tr("Stop"), tr("Write a checkpoint and end the run"), this))
    , m_fork(makeToolButton(
          QStringLiteral("fork"), tr("Fork…"),
          tr("Start a run with the same or other parameters from the last checkpoint of this run"), this))
    , m_continue(makeToolButton(QStringLiteral("next-stage"), tr("Next stage…"),
                                tr("Start the next stage from the last checkpoint of this run"), this))
    , m_reason(new MessageBar(this))
    , m_buttons(new QWidget(this))
{
    letShrink(m_title);
    letShrink(m_subtitle);
    letShrink(m_phase); // with large text these would make the window wider than the screen, and leave
    letShrink(m_left);  // nothing for the name
    followCodeFont(m_lastLines);
    m_lastLines->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_lastLines->setAccessibleName(tr("Last lines of the run"));
    m_lastLines->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_lastLines->hide();
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_star->setCheckable(true);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* top = new QHBoxLayout;
    top->setSpacing(8);
    top->addWidget(m_title);
    top->addWidget(m_badge);
    top->addWidget(m_star);
    top->addStretch();
    top->addWidget(m_phase);
    top->addSpacing(10);
    top->addWidget(m_left);
    layout->addLayout(top);
    auto* across = new QHBoxLayout(m_buttons);
    across->setContentsMargins(0, 0, 0, 4);
    across->setSpacing(6);
    for (QToolButton* button : {m_pause, m_resume, m_checkpoint, m_stop, m_fork, m_continue})
        across->addWidget(button);
    layout->addWidget(m_progress);
    layout->addWidget(m_subtitle);
    layout->addWidget(m_reason);
    layout->addWidget(m_lastLines);

    setCompact(true); // until there is room: the page must not ask for it
    connect(m_pause, &QToolButton::clicked, this, &RunHeader::pauseAsked);
    connect(m_resume, &QToolButton::clicked, this, &RunHeader::resumeAsked);
    connect(m_checkpoint, &QToolButton::clicked, this, &RunHeader::checkpointAsked);
    connect(m_stop, &QToolButton::clicked, this, &RunHeader::stopAsked);
    connect(m_fork, &QToolButton::clicked, this, &RunHeader::forkAsked);
    connect(m_continue, &QToolButton::clicked, this, &RunHeader::continueAsked);
    connect(m_star, &QToolButton::clicked, this, &RunHeader::starToggled);
}

void RunHeader::fillMenu(QMenu* menu)
{
    const auto add = [&](QToolButton* button, const QString& text, const QKeySequence& key) {
        menu->addAction(button->icon(), text, key, this, [this, button, text] {
            if (m_run && !button->isHidden())
                button->click();
            else
                Q_EMIT refused(tr("“%1” is not possible for this run now; the buttons above its charts show "
                                  "what is possible.")
                                   .arg(QString(text).remove(QLatin1Char('&')).remove(QChar(0x2026))));
        });
    };
    add(m_pause, tr("Pa&use"), {});
    add(m_resume, tr("&Resume or start"), {});
    add(m_checkpoint, tr("Chec&kpoint now"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K));
    add(m_stop, tr("&Write a checkpoint and stop"), {});
    add(m_fork, tr("Fork th&is run…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F));
    add(m_continue, tr("Ne&xt stage…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N));
}

void RunHeader::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    constexpr int roomForWords = 820; // tabs and all buttons in one line
    setCompact(width() < atTextSize(roomForWords));
}

void RunHeader::setCompact(bool compact)
{
    for (QToolButton* button : {m_pause, m_resume, m_checkpoint, m_stop, m_fork, m_continue})
        button->setToolButtonStyle(compact ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
}

void RunHeader::setRun(const std::optional<RunSummary>& run)
{
    const bool sameRun = run && m_run && run->id == m_run->id;
    const bool sameReason = sameRun && run->reason == m_run->reason && run->status == m_run->status;
    m_run = run;
    if (!sameRun)
        m_resumes = 0;
    setVisible(run.has_value());
    m_buttons->setVisible(run.has_value());
    if (!run)
        return;
    m_title->setText(runLabel(*run));
    m_badge->setBadge(statusText(run->status), statusTone(run->status));
    showFacts();
    m_star->setChecked(run->notes.starred);
    m_star->setIcon(themedIcon(run->notes.starred ? QStringLiteral("star-filled") : QStringLiteral("star")));
    updateProgress();
    updateButtons();
    if (!sameReason)
        showReason();
}

void RunHeader::setResumes(int resumes)
{
    m_resumes = resumes;
    if (m_run)
        showFacts();
}

void RunHeader::showFacts()
{
    QStringList facts{stageText(m_run->stage)};
    if (!m_run->algorithm.empty())
        facts.append(toQString(m_run->algorithm));
    if (!m_run->title.empty())
        facts.append(toQString(m_run->name));
    if (const QString parent = parentText(*m_run); !parent.isEmpty())
        facts.append(tr("from %1").arg(parent));
    if (m_run->remote)
        facts.append(tr("on %1").arg(toQString(m_run->remote->host)));
    facts.append(counted(m_run->samples, tr("one program"), tr("%1 programs")));
    if (m_resumes > 0)
        facts.append(counted(m_resumes, tr("resumed once"), tr("resumed %1 times")));
    m_subtitle->setText(facts.join(QStringLiteral("  ·  ")));
}

void RunHeader::showReason()
{
    m_lastLines->hide();
    if (m_run->status == RunStatus::Failed)
        m_reason->showMessage(MessageBar::Level::Problem, m_run->reason.empty()
                                                              ? tr("The run failed. The log may say more.")
                                                              : toQString(m_run->reason));
    else if (m_run->status == RunStatus::Unreached) {
        m_reason->showMessage(
            MessageBar::Level::Warning,
            tr("%1 Commands for the run wait until the machine is reached.").arg(unreachedText(*m_run)));
        connect(m_reason->addAction(tr("Try again now")), &QPushButton::clicked, this,
                &RunHeader::reachAsked);
        return;
    } else if (m_run->status == RunStatus::Queued && m_run->remote && !m_run->remote->problem.empty()) {
        m_reason->showMessage(MessageBar::Level::Problem, toQString(m_run->reason));
        connect(m_reason->addAction(tr("Start")), &QPushButton::clicked, this, &RunHeader::resumeAsked);
        return;
    } else if (m_run->status == RunStatus::Stopped && !m_run->reason.empty()) {
        // What a resume does is not to be guessed from a button.
        m_reason->showMessage(MessageBar::Level::Info, asSentence(toQString(m_run->reason)));
        connect(m_reason->addAction(tr("Resume")), &QPushButton::clicked, this, &RunHeader::resumeAsked);
        return;
    } else {
        m_reason->hide();
        return;
    }
    connect(m_reason->addAction(tr("Show the log")), &QPushButton::clicked, this, &RunHeader::logAsked);
    connect(m_reason->addAction(tr("Resume")), &QPushButton::clicked, this, &RunHeader::resumeAsked);
}

void RunHeader::setLastLines(const QStringList& lines)
{
    m_lastLines->setText(lines.join(QLatin1Char('\n')));
    m_lastLines->setVisible(!lines.isEmpty());
}

void RunHeader::updateProgress()
{
    const RunSummary& run = *m_run;
    std::int64_t step = run.step, total = run.totalSteps;
    QString phase, left;
    if (run.heartbeat) {
        step = std::max(step, run.heartbeat->step);
        total = std::max(total, run.heartbeat->totalSteps);
        phase = withoutStep(toQString(run.heartbeat->phase));
        if (run.heartbeat->secondsLeft >= 0)
            left = tr("%1 left").arg(formatDuration(run.heartbeat->secondsLeft));
    }
    if (run.hasWorker && !run.heartbeat)
        phase = tr("starting");
    // Somebody who waits wants to know that nothing is lost.
    const double silent = run.heartbeat ? unixSeconds() - run.heartbeat->t : 0;
    if (run.hasWorker && silent > newsSeconds && run.status != RunStatus::Paused)
        phase = phase.isEmpty() ? tr("no news for %1").arg(formatDuration(silent))
                                : tr("%1, no news for %2").arg(phase, formatDuration(silent));
    m_phase->setText(phase);
    m_phase->setVisible(!phase.isEmpty());
    QString steps = total > 0 ? tr("step %1 of %2").arg(formatCount(step), formatCount(total))
                              : tr("step %1").arg(formatCount(step));
    m_left->setText(left.isEmpty() ? steps : steps + QStringLiteral("  ·  ") + left);
    m_progress->setVisible(total > 0);
    m_progress->setValue(total > 0 ? static_cast<int>(1000 * step / total) : 0);
}

void RunHeader::updateButtons()
{
    const RunStatus status = m_run->status;
    const bool working = m_run->hasWorker && status != RunStatus::Paused;
    const bool away = status == RunStatus::Unreached; // it may well work; commands wait
    const bool canResume =
        (status == RunStatus::Paused) || (!m_run->hasWorker && !away && status != RunStatus::Done);
    m_pause->setVisible(working || away);
    m_resume->setVisible(canResume);
    m_resume->setText(status == RunStatus::Queued ? tr("Start") : tr("Resume"));
    m_checkpoint->setVisible(m_run->hasWorker || away);
    m_stop->setVisible(m_run->hasWorker || away);
    m_fork->setVisible(m_run->checkpoints > 0);
    const StageDescription* stage = findStage(m_run->stage);
    m_continue->setVisible(!m_run->hasWorker && m_run->checkpoints > 0 && stage && stage->next);
}

} // namespace sparserl
