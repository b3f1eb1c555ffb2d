// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/kernels_page.h"

#include "base/interruption.h"
#include "project/run/launch.h"
#include "widgets/common/delegates.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/common/width_loan.h"
#include "widgets/kernels/code_pane.h"
#include "widgets/kernels/export_dialog.h"
#include "widgets/kernels/facet_bar.h"
#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/kernel_tabs.h"
#include "widgets/kernels/sass_bar.h"
#include "widgets/kernels/search_dialog.h"
#include "widgets/kernels/sft_chooser.h"
#include "widgets/kernels/shared_memory_view.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/kernels/source_view.h"
#include "widgets/kernels/specialise_dialog.h"
#include "widgets/kernels/write_dialog.h"

#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

KernelsPage::KernelsPage(QWidget* parent)
    : ProjectPage(parent)
    , m_model(new CandidateModel(this))
    , m_facets(new FacetBar(this))
    , m_detail(new KernelDetail(this))
    , m_sft(new SftChooser(this))
{
    setObjectName(QStringLiteral("kernels"));
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setObjectName(QStringLiteral("kernels.splitter"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeList());
    splitter->addWidget(m_detail);
    splitter->setSizes({650, 610});
    splitter->setStretchFactor(1, 1);
    auto* empty = new EmptyState(
        QStringLiteral("kernels"), tr("No programs yet"),
        tr("Every program that a search finds or that a policy writes appears here with its verdict. A "
           "search needs a matrix, but neither a policy nor training."),
        this);
    connect(empty->addButton(tr("Search…"), true), &QPushButton::clicked, this, &KernelsPage::startSearch);
    connect(empty->addButton(tr("Go to training"), false), &QPushButton::clicked, this, [this] {
        Q_EMIT navigate({Destination::Kind::Training, {}});
    });
    setUp(empty, splitter);
    m_searchPoll = new QTimer(this);
    m_searchPoll->setInterval(100);
    connect(m_searchPoll, &QTimer::timeout, this, &KernelsPage::showSearch);
    connect(m_model, &CandidateModel::rowsArrived, this, &KernelsPage::showCurrent);
    connect(m_model, &CandidateModel::searchCancelled, this, &KernelsPage::searchCancelled);
    connect(m_model, &CandidateModel::problem, this, &Page::problem);
    connect(m_model, &CandidateModel::loaded, this, &KernelsPage::loaded);
    connect(m_detail, &KernelDetail::judgedAgain, m_model, &CandidateModel::setVerdict);
    connect(m_detail, &KernelDetail::exportAsked, this, &KernelsPage::exportSelected);
    connect(m_detail, &KernelDetail::problem, this, &Page::problem);
    // Forty columns of code for each where several stand beside each other; the list gives what it can.
    connect(m_detail->sources(), &SourcePair::viewsShown, this, [loan = new WidthLoan(splitter)](int views) {
        loan->ask(views > 1 ? 42 * views * QFontMetrics(codeFont()).averageCharWidth() : 0);
    });
    connect(m_detail, &KernelDetail::openAsked, this, [this](const QString& hash) {
        go({Destination::Kind::Program, hash});
    });
    connect(m_detail, &KernelDetail::sftAsked, this, &KernelsPage::toggleSft);
    connect(m_sft, &SftChooser::problem, this, &Page::problem);
    connect(m_sft, &SftChooser::told, m_detail, &KernelDetail::tell);
    connect(m_facets, &FacetBar::filterChanged, this, [this] {
        m_model->setFilter(m_facets->filter());
        m_searchPoll->start();
        askFacets();
    });
}

QWidget* KernelsPage::makeList()
{
    auto* card = makeCard(this);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 10, 1, 1);
    layout->setSpacing(8);
    auto* title = new QWidget(card); // Large text takes two lines.
    auto* head = new FlowLayout(title, 6);
    head->setContentsMargins(12, 0, 12, 0);
    head->addWidget(makeHeading(tr("Programs"), title, 1.1));
    m_count = makeMuted({}, title);
    m_count->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    head->addWidget(m_count);
    auto* write = makeToolButton(QStringLiteral("generate"), tr("Generate…"),
                                 tr("Let a policy write programs for matrices now"), title);
    connect(write, &QToolButton::clicked, this, &KernelsPage::writePrograms);
    head->addWidget(write);
    layout->addWidget(title);
    auto* facets = new QVBoxLayout;
    facets->setContentsMargins(12, 0, 10, 0);
    facets->addWidget(m_facets);
    layout->addLayout(facets);

    m_table = new QTableView(card);
    styleTable(m_table);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setModel(m_model);
    m_table->setItemDelegateForColumn(CandidateVerdict, new BadgeDelegate(m_table));
    m_table->setAccessibleName(tr("Programs"));
    QHeaderView* header = m_table->horizontalHeader();
    header->setSortIndicator(-1, Qt::DescendingOrder); // newest first until the user asks otherwise
    header->setSortIndicatorShown(true);
    header->setSectionsClickable(true);
    connect(header, &QHeaderView::sortIndicatorChanged, m_model, &CandidateModel::sort);
    fitColumns(m_table,
               {QStringLiteral("out of bounds "), QStringLiteral("★ matrix"), QStringLiteral("S14 · Blocks"),
                QStringLiteral("000.00×"), QStringLiteral("000.00 µs"), QStringLiteral("Reward "),
                QStringLiteral("0000"), QStringLiteral("evaluation")},
               CandidateMatrix, CandidateFamily);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &KernelsPage::showCurrent);
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this] { m_searchPoll->start(); });
    layout->addWidget(makeSearchStrip(card));
    layout->addWidget(m_table, 1);
    return card;
}

QWidget* KernelsPage::makeSearchStrip(QWidget* parent)
{
    m_searchStrip = new QWidget(parent);
    auto* across = new QHBoxLayout(m_searchStrip);
    across->setContentsMargins(12, 0, 10, 0);
    m_searchBar = new QProgressBar(m_searchStrip);
    m_searchBar->setRange(0, 100);
    m_searchBar->setTextVisible(false);
    m_searchBar->setFixedHeight(6);
    m_searchBar->setAccessibleName(tr("Progress of sorting and filtering"));
    auto* cancel = new QPushButton(tr("Cancel"), m_searchStrip);
    cancel->setToolTip(tr("Go back to the filter and the order shown"));
    connect(cancel, &QPushButton::clicked, m_model, &CandidateModel::cancelSearch);
    across->addWidget(makeMuted(tr("Looking through all programs…"), m_searchStrip));
    across->addWidget(m_searchBar, 1);
    across->addWidget(cancel);
    m_searchStrip->hide();
    return m_searchStrip;
}

void KernelsPage::showSearch()
{
    constexpr qint64 patience = 500; // milliseconds without a sign
    const bool shown = m_model->searchedFor() > patience;
    m_searchBar->setValue(static_cast<int>(100 * m_model->progress()));
    m_searchStrip->setVisible(shown);
    if (!shown)
        m_searchTask.done({});
    else if (!m_searchTask.active())
        m_searchTask = TaskTicket(session()->tasks(), {tr("Search"), tr("all programs"), true},
                                  [this] { m_model->cancelSearch(); });
    m_searchTask.say(m_model->progress(), tr("Sorting and filtering"));
    if (!m_model->searching())
        m_searchPoll->stop();
}

void KernelsPage::searchCancelled()
{
    QHeaderView* header = m_table->horizontalHeader();
    {
        const QSignalBlocker order(header), filter(m_facets);
        header->setSortIndicator(m_model->sortColumn(), m_model->sortOrder());
        m_facets->setFilter(m_model->filter());
    }
    showSearch();
    askFacets();
}

void KernelsPage::fillMenu(QMenu* menu)
{
    menu->addAction(themedIcon(QStringLiteral("search")), tr("&Find a program"), QKeySequence::Find, m_facets,
                    &FacetBar::focusSearch);
    menu->addAction(tr("Find in the code"), QKeySequence(Qt::Key_F3), m_detail->code(), &CodePane::find);
    menu->addAction(themedIcon(QStringLiteral("generate")), tr("&Generate…"),
                    QKeySequence(Qt::CTRL | Qt::Key_G), this, &KernelsPage::writePrograms);
    menu->addAction(tr("Specialise a polic&y…"), this, &KernelsPage::specialise);
    menu->addAction(tr("Search…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_H), this,
                    &KernelsPage::startSearch);
    menu->addAction(themedIcon(QStringLiteral("filter-off")), tr("&Remove all filters"), m_facets,
                    &FacetBar::clearFilter);
    QMenu* order = menu->addMenu(tr("&Order by"));
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const QString name = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        order->addAction(tr("Order by %1").arg(name), this, [this, column] { orderBy(column); });
    }
    menu->addSeparator();
    const qsizetype first = menu->actions().size();
    menu->addAction(themedIcon(QStringLiteral("star")), tr("&Star"), QKeySequence(Qt::CTRL | Qt::Key_D),
                    m_detail, &KernelDetail::toggleStar);
    menu->addAction(themedIcon(QStringLiteral("pin")), tr("&Pin"),
                    QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D), m_detail, &KernelDetail::togglePin);
    menu->addAction(themedIcon(QStringLiteral("book")), tr("Add to or remove from the SFT se&t"),
                    QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S), this, &KernelsPage::toggleSft);
    menu->addAction(themedIcon(QStringLiteral("edit")), tr("Edit a &copy…"),
                    QKeySequence(Qt::CTRL | Qt::Key_M), m_detail, &KernelDetail::editCopy);
    menu->addAction(themedIcon(QStringLiteral("note")), tr("&Note…"), m_detail, &KernelDetail::editNote);
    menu->addAction(themedIcon(QStringLiteral("verify")), tr("&Verify again"), m_detail,
                    &KernelDetail::verifyAgain);
    menu->addAction(themedIcon(QStringLiteral("export")), tr("E&xport…"), QKeySequence(Qt::CTRL | Qt::Key_E),
                    this, &KernelsPage::exportSelected);
    menu->addSeparator();
    menu->addAction(themedIcon(QStringLiteral("compare")), tr("Compare &with this, or stop comparing"),
                    QKeySequence(Qt::CTRL | Qt::Key_B), m_detail, &KernelDetail::toggleBaseline);
    menu->addAction(tr("Show th&e PTX"), QKeySequence(Qt::CTRL | Qt::Key_P), m_detail,
                    &KernelDetail::togglePtx);
    menu->addAction(tr("Show the S&ASS"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A), m_detail,
                    &KernelDetail::toggleSass);
    menu->addAction(themedIcon(QStringLiteral("clock")), tr("Stall and &barriers"),
                    QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B), m_detail, &KernelDetail::toggleControls);
    menu->addAction(tr("Explain the &instruction"), QKeySequence(Qt::SHIFT | Qt::Key_F1), m_detail,
                    &KernelDetail::explainInstruction);
    menu->addAction(tr("Programs &like this"), QKeySequence(Qt::CTRL | Qt::Key_L), this,
                    &KernelsPage::showSimilar);
    menu->addAction(tr("Next &difference"), QKeySequence(Qt::Key_F7), m_detail->sources(),
                    &SourcePair::nextDifference);
    menu->addAction(tr("Previo&us difference"), QKeySequence(Qt::SHIFT | Qt::Key_F7), m_detail->sources(),
                    &SourcePair::previousDifference);
    menu->addAction(themedIcon(QStringLiteral("flame")), tr("Next &hottest line"), QKeySequence(Qt::Key_F8),
                    m_detail->code(), &CodePane::nextHotLine);
    menu->addAction(themedIcon(QStringLiteral("flame")), tr("Previous hottest line"),
                    QKeySequence(Qt::SHIFT | Qt::Key_F8), m_detail->code(), &CodePane::previousHotLine);
    markSelection(menu, first);
}

// As a click on the column's head: again, the other way round.
void KernelsPage::orderBy(int column)
{
    QHeaderView* header = m_table->horizontalHeader();
    Qt::SortOrder order = Qt::AscendingOrder;
    if (const QVariant first = m_model->headerData(column, Qt::Horizontal, Qt::InitialSortOrderRole);
        first.isValid())
        order = static_cast<Qt::SortOrder>(first.toInt());
    if (header->sortIndicatorSection() == column)
        order = header->sortIndicatorOrder() == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder;
    header->setSortIndicator(column, order);
    m_table->setFocus();
}

void KernelsPage::projectChanged()
{
    delete m_specialising;
    m_facetCancel.cancel();
    m_facetJobs.cancel();
    m_pendingSelection.reset();
    m_model->setSession(session());
    m_detail->setSession(session());
    m_sft->setSession(session());
    m_everLoaded = m_facetsAgain = false;
}

void KernelsPage::refresh()
{
    m_model->reload();
    if (m_facetJobs.running())
        m_facetsAgain = true;
    else
        askFacets();
}

void KernelsPage::askFacets()
{
    if (!session())
        return;
    m_facetCancel.cancel();
    m_facetCancel = CancelToken();
    m_facetsAgain = false;
    session()->search<CandidateFacets>(
        m_facetJobs,
        [filter = m_facets->filter(), cancel = m_facetCancel](ProjectReader& reader) {
            return reader.facets(filter, cancel);
        },
        [this](Result<CandidateFacets> answer) {
            if (!answer) {
                if (!isInterruption(answer.error()))
                    showFailure(answer.error());
                return;
            }
            const CandidateFacets& facets = *answer;
            m_facets->setFacets(facets);
            if (m_facetsAgain)
                askFacets();
            // A filter that was asked for by name becomes one by key as soon as the keys are known.
            const auto resolve = [](QString& name, const std::vector<FacetCount>& list,
                                    std::string FacetCount::*named) -> std::string {
                for (const FacetCount& facet : list)
                    if (!name.isEmpty() && toQString(facet.*named) == name)
                        return name.clear(), facet.value;
                return {};
            };
            if (const std::string digest = resolve(m_pendingMatrix, facets.matrices, &FacetCount::label);
                !digest.empty()) {
                CandidateFilter narrowed = m_facets->filter();
                narrowed.matrices = {digest};
                m_facets->setFilter(narrowed);
            } else if (const std::string run = resolve(m_pendingRun, facets.runs, &FacetCount::name);
                       !run.empty()) {
                CandidateFilter narrowed = m_facets->filter();
                narrowed.runs = {static_cast<RunId>(QByteArray::fromStdString(run).toLongLong())};
                m_facets->setFilter(narrowed);
            }
        });
}

void KernelsPage::loaded(CandidateModel::Change change)
{
    if (change == CandidateModel::Change::Filtered || !m_everLoaded)
        m_detail->tabs()->sharedMemory()->setFilter(m_model->filter());
    showSearch();
    const bool filtered = m_model->total() == 0 && m_everLoaded;
    m_everLoaded = m_everLoaded || m_model->total() > 0;
    const bool first = m_everLoaded && state() != State::Content;
    setState(m_everLoaded || filtered ? State::Content : State::Empty);
    m_count->setText(m_model->total() == 0 && m_everLoaded
                         ? tr("No program passes the filters.")
                         : tr("%1 shown").arg(formatCount(m_model->total())));
    // What the detail shows is in the list and in sight: after a sort the first row, after a filter the same
    // program where it passes. While a run goes on, nothing moves under the user's eyes.
    if (const auto wanted = std::exchange(m_pendingSelection, {}))
        m_table->setCurrentIndex(m_model->indexOf(*wanted));
    const bool kept = m_table->currentIndex().isValid();
    if (m_model->rowCount() > 0 && (!kept || change == CandidateModel::Change::Sorted)) {
        m_table->setCurrentIndex(m_model->index(0, 0));
        m_table->scrollToTop();
    } else if (kept && change == CandidateModel::Change::Filtered) {
        m_table->scrollTo(m_table->currentIndex());
    }
    showCurrent();
    if (first)
        m_table->setFocus();
}

QStringList KernelsPage::layoutState() const
{
    const SassBar* sass = m_detail->code()->sassBar();
    return {QString::fromLatin1(saveColumns(m_table).toBase64()), sass->architecture(),
            sass->controlsShown() ? QStringLiteral("controls") : QString()};
}

void KernelsPage::applyLayoutState(const QStringList& state)
{
    // Columns, not the order: that is a search.
    QHeaderView* header = m_table->horizontalHeader();
    const QSignalBlocker quiet(header);
    const int section = header->sortIndicatorSection();
    const Qt::SortOrder order = header->sortIndicatorOrder();
    restoreColumns(m_table, QByteArray::fromBase64(state.value(0).toLatin1()));
    header->setSortIndicator(section, order);
    m_table->doItemsLayout();
    m_detail->code()->restoreSass(state.value(1), !state.value(2).isEmpty());
}

bool KernelsPage::hasSelection() const
{
    return m_detail->candidate().has_value();
}

QString KernelsPage::selectedKey() const
{
    const auto id = m_pendingSelection ? m_pendingSelection : m_model->id(m_table->currentIndex());
    return id ? QStringLiteral("%1:%2").arg(id->run).arg(id->seq) : QString();
}

void KernelsPage::restoreSelection(const QString& key)
{
    m_pendingSelection = CandidateId{key.section(QLatin1Char(':'), 0, 0).toLongLong(),
                                     key.section(QLatin1Char(':'), 1).toLongLong()};
}

void KernelsPage::showSimilar()
{
    const auto& candidate = m_detail->candidate();
    if (!candidate)
        return;
    CandidateFilter filter;
    filter.distinctPrograms = m_facets->filter().distinctPrograms;
    filter.matrices = {candidate->target.contents};
    if (!candidate->family.empty())
        filter.families = {candidate->family};
    {
        const QSignalBlocker once(m_facets); // one question for filter and order
        m_facets->setFilter(filter);
    }
    {
        const QSignalBlocker once(m_table->horizontalHeader());
        m_table->horizontalHeader()->setSortIndicator(CandidateStep, Qt::AscendingOrder);
    }
    m_model->setFilterAndSort(filter, CandidateStep, Qt::AscendingOrder);
    m_searchPoll->start();
    askFacets();
}

std::vector<std::string> KernelsPage::shownMatrix() const
{
    const auto& candidate = m_detail->candidate();
    return candidate ? std::vector<std::string>{candidate->target.contents} : std::vector<std::string>();
}

void KernelsPage::writePrograms()
{
    if (!session())
        return;
    auto* dialog = new WriteDialog(session(), this, shownMatrix());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void KernelsPage::specialise()
{
    if (!session())
        return;
    if (!m_specialising) { // of one that goes on there is a form already
        m_specialising = new SpecialiseDialog(session(), shownMatrix(), this);
        connect(m_specialising, &QDialog::finished, m_specialising, &QObject::deleteLater);
        // Later: the form goes with its project.
        connect(
            m_specialising, &SpecialiseDialog::projectAsked, this,
            [this](const QString& path) {
                Q_EMIT navigate({Destination::Kind::Project, path});
            },
            Qt::QueuedConnection);
    }
    m_specialising->open();
    m_specialising->raise();
}

void KernelsPage::startSearch()
{
    if (!session())
        return;
    auto* dialog = new SearchDialog(session(), shownMatrix(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SearchDialog::startAsked, this, [this, dialog] {
        const RunConfig config = dialog->config();
        session()->runTask<WorkerInfo>(
            {tr("Search"), toQString(config.title)},
            [config](Project& project, const TaskWork&) -> Result<WorkerInfo> {
                SPARSERL_TRY(auto binary, findSparserlBinary());
                return launchWorker(project, config, binary);
            },
            this,
            [this, form = QPointer(dialog)](Result<WorkerInfo> worker, TaskTicket& task) {
                if (worker) {
                    const QString run = toQString(worker->run.filename().string());
                    task.done(tr("The search %1 has started.").arg(run));
                    if (form)
                        form->accept();
                    // Its curves, its budget and its end are there.
                    Q_EMIT navigate({Destination::Kind::Training, run});
                } else if (form) {
                    form->refuse(sentenceOf(worker.error()));
                } else {
                    Q_EMIT problem(sentenceOf(worker.error()));
                }
                session()->updateNow();
            });
    });
    dialog->open();
}

std::optional<std::vector<CandidateId>> KernelsPage::chosen(const QString& tooMany)
{
    constexpr qsizetype mostAtOnce = 1000;
    qsizetype count = 0;
    for (const QItemSelectionRange& range : m_table->selectionModel()->selection())
        count += range.height();
    if (count > mostAtOnce) {
        Q_EMIT problem(tooMany.arg(formatCount(count), formatCount(mostAtOnce)));
        return std::nullopt;
    }
    std::vector<CandidateId> ids;
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows())
        ids.push_back(*m_model->id(row));
    return ids;
}

void KernelsPage::toggleSft()
{
    auto ids = chosen(tr("%1 programs are chosen. Choose at most %2 to add to the SFT set at once."));
    if (!ids)
        return;
    if (ids->size() <= 1 && m_detail->candidate())
        ids = {m_detail->candidate()->id};
    m_sft->toggle(*ids);
}

void KernelsPage::exportSelected()
{
    const auto ids = chosen(tr("%1 programs are chosen. Choose at most %2 to export at once."));
    if (!ids)
        return;
    if (ids->size() <= 1) {
        m_detail->exportKernel();
        return;
    }
    session()->query<std::vector<CandidateRow>>(
        m_exportJobs, [ids = *ids](ProjectReader& reader) { return reader.candidateRows(ids); },
        [this](Result<std::vector<CandidateRow>> rows) {
            if (!rows) {
                Q_EMIT problem(sentenceOf(rows.error()));
                return;
            }
            auto* dialog = new ExportDialog(session(), std::move(*rows), this);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->open();
        });
}

void KernelsPage::showCurrent()
{
    if (const CandidateRow* row = m_model->row(m_table->currentIndex()))
        m_detail->show(*row);
    else if (m_model->rowCount() == 0)
        m_detail->clear();
}

void KernelsPage::go(const Destination& place)
{
    CandidateFilter filter;
    filter.distinctPrograms = m_facets->filter().distinctPrograms;
    m_pendingMatrix.clear();
    m_pendingRun.clear();
    if (place.kind == Destination::Kind::KernelsOfMatrix) {
        m_pendingMatrix = place.key;
        m_pendingRun = place.run;
        if (!place.task.empty())
            filter.tasks = {place.task};
    } else if (place.kind == Destination::Kind::KernelsOfRun) {
        m_pendingRun = place.key;
    } else {
        filter.programHash = place.key.toStdString();
    }
    m_facets->setFilter(filter);
}

} // namespace sparserl
