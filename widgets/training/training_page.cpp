// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/training_page.h"

#include "project/launch.h"
#include "training/stage_parameters.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/log_view.h"
#include "widgets/training/run_header.h"
#include "widgets/training/steer_dialog.h"
#include "widgets/training/steered_parameters.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

TrainingPage::TrainingPage(QWidget* parent)
    : Page(parent)
    , m_model(makeRunModel(this))
    , m_proxy(new QSortFilterProxyModel(this))
    , m_stack(new QStackedWidget(this))
{
    setObjectName(QStringLiteral("training"));
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(SortRole);
    m_proxy->setFilterKeyColumn(-1);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);

    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setObjectName(QStringLiteral("training.splitter"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeList());
    splitter->addWidget(makeDetail());
    splitter->setSizes({600, 650});
    splitter->setStretchFactor(1, 1);

    m_empty = new EmptyState(
        QStringLiteral("training"), tr("No training yet"),
        tr("Supervised fine-tuning teaches a small policy to write kernels for the matrices of "
           "this project; reinforcement learning then makes them faster."),
        this);
    connect(m_empty->addButton(tr("Start the first run…"), true), &QPushButton::clicked, this,
            &TrainingPage::newRun);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(splitter);
    auto* reading = makeMuted(tr("Reading the project…"), this);
    reading->setAlignment(Qt::AlignCenter);
    m_stack->addWidget(reading);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 12, 10);
    layout->addWidget(m_stack);

    // A worker that dies writes nothing: lock and heartbeat are looked at once a second while the page is
    // seen.
    auto* liveness = new QTimer(this);
    connect(liveness, &QTimer::timeout, this, [this] {
        if (isVisible() && session() && m_model->rowCount() > 0 && !m_runJobs.running())
            refresh();
    });
    liveness->start(1000);
}

QWidget* TrainingPage::makeList()
{
    auto* card = makeCard(this);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 10, 1, 1);
    layout->setSpacing(8);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 0, 10, 0);
    bar->addWidget(makeHeading(tr("Runs"), card, 1.1));
    bar->addStretch();
    m_search = new QLineEdit(card);
    m_search->setPlaceholderText(tr("Find a run"));
    m_search->setAccessibleName(tr("Find a run"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(170);
    connect(m_search, &QLineEdit::textChanged, m_proxy, &QSortFilterProxyModel::setFilterFixedString);
    bar->addWidget(m_search);
    auto* fresh = new QPushButton(tr("&New run…"), card);
    makePrimary(fresh);
    fresh->setToolTip(tr("Start a training run (Ctrl+R)"));
    connect(fresh, &QPushButton::clicked, this, &TrainingPage::newRun);
    bar->addWidget(fresh);
    layout->addLayout(bar);

    m_table = new QTableView(card);
    styleTable(m_table);
    m_table->setModel(m_proxy);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->setItemDelegateForColumn(RunStatusColumn, new BadgeDelegate(m_table));
    m_table->setItemDelegateForColumn(RunCourse, new SparklineDelegate(m_table));
    m_table->setAccessibleName(tr("Training runs; select several to compare their curves"));
    fitColumns(m_table,
               {QStringLiteral("PPO, another seed"), QStringLiteral("interrupted  "),
                QStringLiteral("0000 / 0000"), QStringLiteral("-0.000"), QStringLiteral("0000000000"),
                QStringLiteral("0000-sft"), QStringLiteral("00 min ago")},
               RunName);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &TrainingPage::selectionChanged);
    layout->addWidget(m_table, 1);
    return card;
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
    m_parameters = new QTableWidget(0, 4, m_tabs);
    styleTable(m_parameters);
    m_parameters->setHorizontalHeaderLabels({tr("Parameter"), tr("Value"), tr("Unit"), tr("Meaning")});
    m_parameters->horizontalHeader()->setStretchLastSection(true);
    m_parameters->setColumnWidth(0, 210);
    m_parameters->setColumnWidth(1, 130);
    m_parameters->setColumnWidth(2, 90);
    m_parameters->setAccessibleName(tr("Parameters of the run"));
    m_tabs->setCornerWidget(m_header->buttons());
    m_tabs->addTab(m_charts, tr("Charts"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->addTab(m_parameters, tr("Parameters"));
    connect(m_tabs, &QTabWidget::currentChanged, this, &TrainingPage::showDetails);
    layout->addWidget(m_tabs, 1);

    connect(m_header, &RunHeader::pauseAsked, this, [this] { send(ControlCommand::Kind::Pause); });
    connect(m_header, &RunHeader::checkpointAsked, this, [this] { send(ControlCommand::Kind::Checkpoint); });
    connect(m_header, &RunHeader::stopAsked, this, [this] { send(ControlCommand::Kind::Stop); });
    connect(m_header, &RunHeader::resumeAsked, this, &TrainingPage::resume);
    connect(m_header, &RunHeader::changeAsked, this, &TrainingPage::changeParameter);
    connect(m_header, &RunHeader::continueAsked, this, [this] { openLaunch(currentRun()); });
    connect(m_header, &RunHeader::starToggled, this, [this](bool on) {
        Annotation star;
        star.target = Annotation::Target::Run;
        star.key = currentRun()->name;
        star.field = Annotation::Field::Star;
        star.value = std::string(1, on ? '1' : '0');
        session()->annotate(star);
    });
    connect(m_charts, &ChartsPanel::problem, this, &Page::problem);
    connect(m_charts, &ChartsPanel::choiceChanged, this,
            [this] { Q_EMIT viewStateChanged(m_charts->chosenMetrics()); });
    connect(m_log, &LogView::problem, this, &Page::problem);
    return detail;
}

void TrainingPage::fillMenu(QMenu* menu)
{
    menu->addAction(themedIcon(QStringLiteral("plus")), tr("&New run…"), QKeySequence(Qt::CTRL | Qt::Key_R),
                    this, &TrainingPage::newRun);
    menu->addAction(themedIcon(QStringLiteral("search")), tr("&Find a run"), QKeySequence::Find, this,
                    [this] { m_search->setFocus(); });
    menu->addSeparator();
    menu->addAction(tr("Show &charts"), this, [this] { m_tabs->setCurrentWidget(m_charts); });
    menu->addAction(tr("Show &log"), this, [this] { m_tabs->setCurrentWidget(m_log); });
    menu->addAction(tr("Show &parameters"), this, [this] { m_tabs->setCurrentWidget(m_parameters); });
}

void TrainingPage::sessionChanged()
{
    m_runJobs.cancel();
    m_configJobs.cancel();
    m_launchJobs.cancel();
    m_log->clear();
    m_model->setRows({});
    m_parametersOf.clear();
    m_header->setRun({});
    m_charts->setSession(session());
    m_stack->setCurrentIndex(2);
}

void TrainingPage::refresh()
{
    if (m_runJobs.running()) {
        m_again = true;
        return;
    }
    session()->query<std::vector<RunSummary>>(
        m_runJobs, [](ProjectReader& reader) { return reader.runs(); },
        [this](Result<std::vector<RunSummary>> runs) {
            if (runs)
                showRuns(std::move(*runs));
            else
                Q_EMIT problem(sentenceOf(runs.error()));
            if (std::exchange(m_again, false))
                refresh();
        });
}

void TrainingPage::showRuns(std::vector<RunSummary> runs)
{
    const bool any = !runs.empty();
    const QString keep = !m_wanted.isEmpty() ? m_wanted
                         : currentRun()      ? toQString(currentRun()->name)
                         : any               ? toQString(runs.front().name)
                                             : QString();
    m_model->setRows(std::move(runs));
    const bool first = any && m_stack->currentIndex() != 1;
    m_stack->setCurrentIndex(any ? 1 : 0);
    if (!any)
        return;
    if (!currentRun() || !m_wanted.isEmpty()) {
        QModelIndex index = m_proxy->mapFromSource(m_model->indexOfKey(keep));
        if (!index.isValid())
            index = m_proxy->index(0, 0);
        m_table->setCurrentIndex(index);
        m_wanted.clear();
    } else {
        showDetails();
    }
    if (first) // behind the selection: a focused view without one would only mark its first row
        m_table->setFocus();
}

void TrainingPage::select(const QString& run)
{
    m_wanted = run;
    const QModelIndex index = m_proxy->mapFromSource(m_model->indexOfKey(run));
    if (index.isValid()) {
        m_table->setCurrentIndex(index);
        m_table->scrollTo(index);
        m_wanted.clear();
    }
}

std::optional<RunSummary> TrainingPage::currentRun() const
{
    const QModelIndex index = m_table->currentIndex();
    const RunSummary* run = index.isValid() ? m_model->row(m_proxy->mapToSource(index)) : nullptr;
    return run ? std::optional<RunSummary>(*run) : std::nullopt;
}

std::vector<RunSummary> TrainingPage::selectedRuns() const
{
    // The current one first: it rules the panels; the others are laid over it.
    std::vector<RunSummary> runs;
    if (auto run = currentRun())
        runs.push_back(*run);
    const auto indexes = m_table->selectionModel()->selectedRows();
    for (const QModelIndex& index : indexes) {
        const RunSummary* run = m_model->row(m_proxy->mapToSource(index));
        if (run && !runs.empty() && run->id != runs.front().id && runs.size() < 6)
            runs.push_back(*run);
    }
    return runs;
}

void TrainingPage::selectionChanged()
{
    showDetails();
}

void TrainingPage::showDetails()
{
    const auto run = currentRun();
    m_header->setRun(run);
    if (!run || !session())
        return;
    if (m_tabs->currentWidget() == m_charts)
        m_charts->setRuns(selectedRuns());
    else if (m_tabs->currentWidget() == m_log)
        m_log->show(session(), *run);
    else if (m_parametersOf != run->name) {
        const RunId id = run->id;
        session()->query<RunConfig>(
            m_configJobs, [id](ProjectReader& reader) { return reader.runConfig(id); },
            [this, name = run->name](Result<RunConfig> config) {
                if (!config) {
                    Q_EMIT problem(sentenceOf(config.error()));
                    return;
                }
                m_parametersOf = name;
                showParameters(*config);
            });
    }
}

void TrainingPage::showParameters(const RunConfig& config)
{
    const auto kind = stageKindFromName(config.stage);
    m_parameters->setRowCount(static_cast<int>(config.parameters.size()));
    int row = 0;
    for (const auto& [key, value] : config.parameters) {
        const ParameterSpec* spec = kind ? stageParameters(*kind).find(key) : nullptr;
        auto* name = new QTableWidgetItem(toQString(key));
        auto* text = new QTableWidgetItem(toQString(toText(value)));
        if (spec && !(spec->defaultValue == value)) {
            QFont font = name->font();
            font.setWeight(QFont::DemiBold);
            name->setFont(font);
            text->setFont(font);
            text->setToolTip(tr("The default is %1.").arg(toQString(toText(spec->defaultValue))));
        }
        m_parameters->setItem(row, 0, name);
        m_parameters->setItem(row, 1, text);
        m_parameters->setItem(row, 2, new QTableWidgetItem(spec ? toQString(spec->unitText) : QString()));
        m_parameters->setItem(row, 3, new QTableWidgetItem(spec ? toQString(spec->helpText) : QString()));
        ++row;
    }
}

void TrainingPage::restoreViewState(const QStringList& state)
{
    m_charts->setChosenMetrics(state);
}

void TrainingPage::newRun()
{
    openLaunch({});
}

void TrainingPage::openLaunch(const std::optional<RunSummary>& from)
{
    if (!session())
        return;
    session()->query<std::vector<CheckpointRow>>(
        m_launchJobs, [](ProjectReader& reader) { return reader.checkpoints(); },
        [this, from](Result<std::vector<CheckpointRow>> checkpoints) {
            if (!checkpoints) {
                Q_EMIT problem(sentenceOf(checkpoints.error()));
                return;
            }
            auto* dialog = new LaunchDialog(*checkpoints, session()->path(), this);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            // The natural next stage, from the newest checkpoint.
            const CheckpointRow* newest = nullptr;
            for (const CheckpointRow& c : *checkpoints)
                if (c.present && (!from || c.runName == from->name) && (!newest || c.t > newest->t))
                    newest = &c;
            const StageDescription* stage = from ? findStage(from->stage) : nullptr;
            const StageKind next = stage && stage->next ? *stage->next : StageKind::Rl;
            if (newest)
                dialog->choose(std::string(nameOf(next)), {}, newest->path);
            connect(dialog, &QDialog::accepted, this, [this, dialog] { launch(dialog->config()); });
            dialog->open();
        });
}

void TrainingPage::launch(const RunConfig& config)
{
    session()->work<WorkerInfo>(
        m_actionJobs,
        [config](Project& project) -> Result<WorkerInfo> {
            SPARSERL_TRY(auto binary, findSparserlBinary());
            return launchWorker(project, config, binary);
        },
        [this](Result<WorkerInfo> worker) {
            if (worker) {
                m_wanted = toQString(worker->run.filename().string());
                Q_EMIT statusMessage(tr("The run %1 has started.").arg(m_wanted));
            } else {
                Q_EMIT problem(sentenceOf(worker.error()));
            }
            session()->updateNow();
        });
}

void TrainingPage::resume()
{
    const auto run = currentRun();
    if (!run)
        return;
    if (run->hasWorker) {
        send(ControlCommand::Kind::Resume);
        return;
    }
    session()->work<WorkerInfo>(
        m_actionJobs,
        [path = run->path](Project&) -> Result<WorkerInfo> {
            SPARSERL_TRY(auto binary, findSparserlBinary());
            return resumeWorker(path, binary);
        },
        [this](Result<WorkerInfo> worker) {
            if (!worker)
                Q_EMIT problem(sentenceOf(worker.error()));
            session()->updateNow();
        });
}

void TrainingPage::send(ControlCommand::Kind kind, const std::string& key, const std::string& value)
{
    const auto run = currentRun();
    if (!run)
        return;
    ControlCommand command;
    command.kind = kind;
    command.key = key;
    command.value = value;
    const QString what = toQString(nameOf(kind));
    const QString asked =
        key.empty() ? tr("Asked %1 to %2; it answers when its current step is finished.")
                          .arg(toQString(run->name), what)
                    : tr("Asked %1 to set %2 to %3; the change is marked on the charts when it takes "
                         "effect.")
                          .arg(toQString(run->name), toQString(key), toQString(value));
    session()->control(run->path, command, this, [this, asked] { Q_EMIT statusMessage(asked); });
}

void TrainingPage::changeParameter()
{
    const auto run = currentRun();
    if (!run)
        return;
    session()->query<SteeredParameters>(
        m_configJobs,
        [id = run->id, path = run->path](ProjectReader& reader) { return readSteered(reader, id, path); },
        [this](Result<SteeredParameters> steered) {
            if (!steered) {
                Q_EMIT problem(sentenceOf(steered.error()));
                return;
            }
            auto* dialog = new SteerDialog(*steered, this);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            connect(dialog, &QDialog::accepted, this,
                    [this, dialog] { send(ControlCommand::Kind::Set, dialog->key(), dialog->value()); });
            dialog->open();
        });
}

} // namespace sparserl
