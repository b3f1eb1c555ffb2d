// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/training_page.h"

#include "project/run/launch.h"
#include "remote/remote_launch.h"
#include "training/parameters/stage_parameters.h"
#include "widgets/common/filter_edit.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/tab_menu.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/log_view.h"
#include "widgets/training/run_cost_view.h"
#include "widgets/training/run_header.h"
#include "widgets/training/run_list.h"
#include "widgets/training/run_parameters.h"
#include "widgets/training/run_scatter.h"
#include "widgets/training/steer_panel.h"
#include "widgets/training/steered_parameters.h"

#include <QMenu>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

namespace {

constexpr std::size_t lastLines = 4;

} // namespace

TrainingPage::TrainingPage(QWidget* parent)
    : ProjectPage(parent)
    , m_list(new RunList(this))
{
    setObjectName(QStringLiteral("training"));
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setObjectName(QStringLiteral("training.across"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_list);
    m_sides = new QStackedWidget(splitter);
    m_sides->addWidget(makeDetail());
    m_sides->addWidget(makeNoRun());
    splitter->addWidget(m_sides);
    splitter->setSizes({505, 785}); // names of runs without a scroll bar at 1,280
    connectList();
    splitter->setStretchFactor(0, 1); // names of runs have a share of what a large window has more
    splitter->setStretchFactor(1, 3);

    auto* empty = new EmptyState(
        QStringLiteral("training"), tr("No training yet"),
        tr("Supervised fine-tuning teaches a small policy to write kernels for the matrices of "
           "this project. Reinforcement learning can follow. It adds little after fine-tuning has "
           "converged."),
        this);
    connect(empty->addButton(tr("Start the first run…"), true), &QPushButton::clicked, this,
            &TrainingPage::newRun);
    setUp(empty, splitter);

    // A worker that dies writes nothing: lock and heartbeat are looked at once a second while the page is
    // seen and has runs that can die. Those that have ended are heard of through their journals.
    auto* liveness = new QTimer(this);
    connect(liveness, &QTimer::timeout, this, [this] {
        const auto& runs = model()->rows();
        const bool mayDie = std::any_of(runs.begin(), runs.end(), [](const RunRow& run) {
            return run.hasWorker ||
                   (!run.head && run.status != RunStatus::Done && run.status != RunStatus::Failed);
        });
        if (isVisible() && session() && mayDie)
            refresh();
    });
    liveness->start(1000);
}

RunModel* TrainingPage::model() const
{
    return m_list->model();
}

void TrainingPage::connectList()
{
    connect(m_list, &RunList::changed, this, &TrainingPage::showDetails);
    connect(m_list, &RunList::newRunAsked, this, &TrainingPage::newRun);
    connect(m_list, &RunList::stateChanged, this, &TrainingPage::tellViewState);
    connect(m_list, &RunList::statusMessage, this, &Page::statusMessage);
    connect(m_list, &RunList::baselineAsked, this, [this](const QString& run) {
        for (const RunRow& row : model()->rows())
            if (toQString(row.name) == run)
                m_charts->setBaselineRun(row.id);
    });
    connect(m_list, &RunList::forkAsked, this, [this] { openLaunch(From::Fork, currentRun()); });
}

QWidget* TrainingPage::makeDetail()
{
    auto* detail = new QWidget(this);
    auto* layout = new QVBoxLayout(detail);
    layout->setContentsMargins(0, 2, 0, 0);
    layout->setSpacing(8);
    m_header = new RunHeader(detail);
    layout->addWidget(m_header);
    m_tabs = new QTabWidget(detail);
    m_tabs->setDocumentMode(true);
    m_charts = new ChartsPanel(m_tabs);
    m_log = new LogView(m_tabs);
    m_steering = new SteerPanel(m_tabs);
    m_parameters = new RunParameters(m_tabs);
    m_cost = new RunCostView(m_tabs);
    m_tabs->setCornerWidget(m_header->buttons());
    listTabsThatDoNotFit(m_tabs);
    m_tabs->addTab(m_charts, tr("Charts"));
    m_tabs->addTab(m_steering, tr("Steering"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->addTab(m_parameters, tr("Parameters"));
    m_tabs->addTab(m_cost, tr("Cost"));
    m_scatter = new RunScatter(m_list, m_tabs);
    m_tabs->addTab(m_scatter, tr("Scatter"));
    connect(m_scatter, &RunScatter::chosen, m_list, &RunList::select);
    connect(m_scatter, &RunScatter::choiceChanged, this, &TrainingPage::tellViewState);
    connect(m_tabs, &QTabWidget::currentChanged, this, &TrainingPage::showDetails);
    layout->addWidget(m_tabs, 1);

    connect(m_header, &RunHeader::pauseAsked, this, [this] { send(ControlCommand::Kind::Pause); });
    connect(m_header, &RunHeader::checkpointAsked, this, [this] { send(ControlCommand::Kind::Checkpoint); });
    connect(m_header, &RunHeader::stopAsked, this, [this] { send(ControlCommand::Kind::Stop); });
    connect(m_header, &RunHeader::resumeAsked, this, &TrainingPage::resume);
    connect(m_header, &RunHeader::reachAsked, this, [this] {
        if (const auto run = currentRun(); run && run->remote)
            follow(*run, true);
    });
    connect(m_header, &RunHeader::forkAsked, this, [this] { openLaunch(From::Fork, currentRun()); });
    connect(m_header, &RunHeader::continueAsked, this, [this] { openLaunch(From::NextStage, currentRun()); });
    connect(m_header, &RunHeader::refused, this, &Page::statusMessage);
    connect(m_header, &RunHeader::logAsked, this, [this] { m_tabs->setCurrentWidget(m_log); });
    connect(m_steering, &SteerPanel::changesAsked, this, &TrainingPage::change);
    connect(m_steering, &SteerPanel::forkAsked, this,
            [this](const auto& values) { openLaunch(From::Fork, currentRun(), values); });
    connect(m_header, &RunHeader::starToggled, this,
            [this](bool on) { m_list->setStarred(currentRun()->name, on); });
    connect(m_charts, &ChartsPanel::problem, this, &Page::problem);
    connect(m_charts, &ChartsPanel::choiceChanged, this, &TrainingPage::tellViewState);
    connect(m_charts, &ChartsPanel::baselineChanged, this, [this](const std::optional<RunId>& run) {
        m_list->setBaseline(run);
        showDetails();
    });
    connect(m_log, &LogView::problem, this, &Page::problem);
    connect(m_parameters, &RunParameters::problem, this, &Page::problem);
    connect(m_cost, &RunCostView::problem, this, &Page::problem);
    return detail;
}

QWidget* TrainingPage::makeNoRun()
{
    m_noRun = new EmptyState(QStringLiteral("filter-off"), {}, {}, this);
    m_noRun->setObjectName(QStringLiteral("noRun"));
    auto* remedy = m_noRun->addButton(tr("Clear the filter"), true);
    remedy->setObjectName(QStringLiteral("clearFilter"));
    connect(remedy, &QPushButton::clicked, this, [this] {
        m_list->filterEdit()->clear();
        m_list->table()->setFocus();
    });
    return m_noRun;
}

void TrainingPage::fillMenu(QMenu* menu)
{
    menu->addAction(themedIcon(QStringLiteral("plus")), tr("&New run…"), QKeySequence(Qt::CTRL | Qt::Key_R),
                    this, &TrainingPage::newRun);
    m_list->fillMenu(menu);
    menu->addSeparator();
    const qsizetype first = menu->actions().size();
    m_list->fillSelectionMenu(menu);
    markSelection(menu, first);
    menu->addSeparator();
    m_header->fillMenu(menu);
    menu->addSeparator();
    const auto show = [&](const QString& text, Qt::Key key, QWidget* tab) {
        menu->addAction(text, QKeySequence(Qt::ALT | key), this, [this, tab] {
            m_tabs->setCurrentWidget(tab);
            if (tab == m_steering)
                m_steering->focusFirst();
            else if (tab == m_log)
                m_log->focusFilter();
            else
                tab->setFocus();
        });
    };
    show(tr("Show &charts"), Qt::Key_1, m_charts);
    show(tr("Show ste&ering"), Qt::Key_2, m_steering);
    show(tr("Show &log"), Qt::Key_3, m_log);
    show(tr("Show &parameters"), Qt::Key_4, m_parameters);
    show(tr("Show c&ost"), Qt::Key_5, m_cost);
    show(tr("Show scatter plot"), Qt::Key_6, m_scatter);
}

void TrainingPage::projectChanged()
{
    m_steerJobs.cancel();
    m_lineJobs.cancel();
    m_launchJobs.cancel();
    delete m_launching;
    m_checkpointJobs.cancel();
    m_log->clear();
    m_list->setSession(session());
    m_parameters->clear();
    m_cost->clear();
    m_scatter->clear();
    m_steering->clear();
    m_followed.clear();
    m_linesOf = 0;
    m_resumeJobs.cancel();
    m_resumesOf = {};
    m_header->setRun({});
    m_charts->setSession(session());
}

void TrainingPage::refresh()
{
    ask<std::vector<RunSummary>>([](ProjectReader& reader) { return reader.runs(); },
                                 [this](std::vector<RunSummary> runs) { showRuns(std::move(runs)); });
}

void TrainingPage::showRuns(std::vector<RunSummary> runs)
{
    const bool any = !runs.empty();
    followAll(runs);
    m_list->setRuns(std::move(runs));
    const bool first = any && state() != State::Content;
    setState(any ? State::Content : State::Empty);
    if (first) // behind the selection: a focused view without one would only mark its first row
        m_list->table()->setFocus();
}

void TrainingPage::select(const QString& run)
{
    m_list->select(run);
}

std::optional<RunSummary> TrainingPage::currentRun() const
{
    return m_list->current();
}

void TrainingPage::showDetails()
{
    const auto run = currentRun();
    m_header->setRun(run);
    if (!session() || showNoRun())
        return;
    if (run) {
        showLastLines();
        showResumes();
    }
    // Of a group its runs are charted and compared; log and steering stay with the run they were about.
    const auto groups = m_list->chartedGroups();
    if (m_tabs->currentWidget() == m_scatter) // of all runs, and draws itself
        return;
    if (!run && (groups.empty() || m_tabs->currentWidget() == m_log || m_tabs->currentWidget() == m_steering))
        return;
    if (m_tabs->currentWidget() == m_charts)
        m_charts->setRuns(m_list->charted(), groups);
    else if (m_tabs->currentWidget() == m_log)
        m_log->show(session(), *run);
    else if (m_tabs->currentWidget() == m_steering)
        showSteering();
    else if (m_tabs->currentWidget() == m_cost)
        m_cost->show(session(), m_list->charted());
    else
        m_parameters->show(session(), m_list->charted());
}

// Curves of a run that the list does not show would have no name.
bool TrainingPage::showNoRun()
{
    const bool none = !model()->rows().empty() && m_list->visibleModel()->rowCount() == 0;
    const bool filtered = !m_list->filterEdit()->text().trimmed().isEmpty();
    if (none && filtered)
        m_noRun->setText(
            tr("No run is selected"),
            tr("No run passes the filter. Clear the filter, and the run that was selected before "
               "is selected again."));
    else if (none)
        m_noRun->setText(tr("No run is selected"),
                         tr("All runs are archived. The filter `is = archived` shows them."));
    m_noRun->findChild<QPushButton*>(QStringLiteral("clearFilter"))->setVisible(filtered);
    m_sides->setCurrentIndex(none ? 1 : 0);
    return none;
}

void TrainingPage::showSteering()
{
    const RunSummary run = *currentRun();
    m_steering->show(run, nullptr);
    if (m_steerJobs.running())
        return;
    session()->query<SteeredParameters>(
        m_steerJobs, [run](ProjectReader& reader) { return readSteered(reader, run.id, run.path); },
        [this, run](Result<SteeredParameters> steered) {
            const auto now = currentRun();
            if (!steered)
                Q_EMIT problem(sentenceOf(steered.error()));
            else if (now && now->id == run.id)
                m_steering->show(*now, &*steered);
            else
                showDetails(); // another run was chosen meanwhile
        });
}

// A generation begins whenever a worker goes on from a checkpoint. A fork does so when it starts, too.
void TrainingPage::showResumes()
{
    const RunSummary run = *currentRun();
    const std::pair wanted(run.id, run.generation);
    if (wanted == m_resumesOf)
        return;
    m_resumesOf = wanted;
    if (run.generation == 0) {
        m_header->setResumes(0);
        return;
    }
    session()->query<int>(
        m_resumeJobs,
        [wanted](ProjectReader& reader) -> Result<int> {
            SPARSERL_TRY(const auto config, reader.runConfig(wanted.first));
            return config.forkOf.empty() ? wanted.second : wanted.second - 1;
        },
        [this, wanted](Result<int> resumes) {
            const auto now = currentRun();
            if (resumes && now && std::pair(now->id, now->generation) == wanted)
                m_header->setResumes(*resumes);
        });
}

void TrainingPage::showLastLines()
{
    const RunSummary run = *currentRun();
    const bool crashed = run.status == RunStatus::Failed;
    const RunId wanted = crashed ? run.id : 0;
    if (wanted == m_linesOf)
        return;
    m_linesOf = wanted;
    m_header->setLastLines({});
    if (!crashed)
        return;
    session()->query<std::vector<std::string>>(
        m_lineJobs,
        [path = run.path](ProjectReader&) -> Result<std::vector<std::string>> {
            return workerLogTail(path, lastLines);
        },
        [this, id = run.id](Result<std::vector<std::string>> lines) {
            if (!lines || m_linesOf != id)
                return;
            QStringList texts;
            for (const std::string& line : *lines)
                texts.append(toQString(line));
            m_header->setLastLines(texts);
        });
}

void TrainingPage::restoreViewState(const QStringList& state)
{
    const QScopedValueRollback restoring(m_restoring, true);
    QStringList own, metrics;
    for (const QString& line : state)
        (line.startsWith(QLatin1Char('@')) ? own : metrics).append(line);
    m_list->setState(own);
    m_charts->setLook(own);
    m_scatter->setLook(own);
    m_charts->setChosenMetrics(metrics);
}

// Lines with an '@' are of the list and the charts; names of metrics stand for themselves.
void TrainingPage::tellViewState()
{
    if (!m_restoring && session())
        Q_EMIT viewStateChanged(m_list->state() + m_charts->look() + m_scatter->look() +
                                m_charts->chosenMetrics());
}

QStringList TrainingPage::layoutState() const
{
    return m_list->columns() + m_charts->look() + m_scatter->look() + m_charts->chosenMetrics();
}

void TrainingPage::applyLayoutState(const QStringList& state)
{
    QStringList own, metrics;
    for (const QString& line : state)
        (line.startsWith(QLatin1Char('@')) ? own : metrics).append(line);
    {
        const QScopedValueRollback restoring(m_restoring, true);
        m_list->setColumns(own);
        m_charts->setLook(own);
        m_scatter->setLook(own);
        m_charts->setChosenMetrics(metrics);
    }
    tellViewState();
}

bool TrainingPage::hasSelection() const
{
    return m_list->hasSelection();
}

QString TrainingPage::selectedKey() const
{
    const auto run = currentRun();
    return run ? toQString(run->name) : m_list->wanted();
}

void TrainingPage::send(ControlCommand::Kind kind)
{
    const auto run = currentRun();
    if (!run)
        return;
    ControlCommand command;
    command.kind = kind;
    const QString asked = tr("Asked %1 to %2; it answers after its current step.")
                              .arg(toQString(run->name), toQString(nameOf(kind)));
    session()->control(run->path, command, this, [this, asked] { Q_EMIT statusMessage(asked); });
}

void TrainingPage::change(const std::map<std::string, std::string>& values, bool checkpointFirst)
{
    const auto run = currentRun();
    if (!run)
        return;
    if (checkpointFirst)
        send(ControlCommand::Kind::Checkpoint);
    QStringList changes;
    for (const auto& [key, value] : values) {
        changes.append(tr("%1 to %2").arg(toQString(key), toQString(value)));
        ControlCommand command;
        command.kind = ControlCommand::Kind::Set;
        command.key = key;
        command.value = value;
        const QString asked =
            tr("Asked %1 to set %2; each change is marked on the charts when it takes effect.")
                .arg(toQString(run->name), changes.join(QStringLiteral(", ")));
        session()->control(run->path, command, this, [this, asked, id = run->id, key = key, value = value] {
            m_steering->sent(id, key, toQString(value));
            Q_EMIT statusMessage(asked); // the last one names all
        });
    }
}

} // namespace sparserl
