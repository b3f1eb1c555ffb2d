// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_list.h"

#include "base/time.h"
#include "widgets/common/filter_edit.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/common/undo_commands.h"
#include "widgets/training/run_delegates.h"
#include "widgets/training/run_figure_store.h"
#include "widgets/training/run_grouper.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr std::size_t mostCharted = 12, mostInGroups = 64;
/// An annotation that the index does not have after so many seconds was not written.
constexpr double patience = 10;
/// Milliseconds: who is still typing is not told of a mistake.
constexpr int mistakePause = 500;
constexpr std::array initiallyHidden{RunStage, RunStep, RunFrom, RunTags, RunNote, RunPrograms, RunUpdated};

/// Of the line that keeps the columns; another number of them is of another version.
QString columnsKey()
{
    return QStringLiteral("@columns%1=").arg(RunColumns);
}

/// Whether a row would be painted alike, the time apart.
bool sameLook(const RunRow& a, const RunRow& b)
{
    if (a.head || b.head)
        return a.head && b.head && *a.head == *b.head;
    return a.id == b.id && a.depth == b.depth && a.group == b.group && a.hidden == b.hidden &&
           a.charted == b.charted && a.notes == b.notes && a.status == b.status && a.reason == b.reason &&
           a.remote.has_value() == b.remote.has_value() && a.hasWorker == b.hasWorker && a.step == b.step &&
           a.totalSteps == b.totalSteps && a.samples == b.samples && a.checkpoints == b.checkpoints &&
           a.generation == b.generation && a.updated == b.updated && a.headline == b.headline &&
           (a.lastValue == b.lastValue || (std::isnan(a.lastValue) && std::isnan(b.lastValue))) &&
           a.spark.size() == b.spark.size() && a.title == b.title &&
           (a.figures == b.figures || (a.figures && b.figures && *a.figures == *b.figures)) && !a.heartbeat &&
           !b.heartbeat;
}

} // namespace

RunList::RunList(QWidget* parent)
    : QWidget(parent)
    , m_model(makeRunModel(this))
    , m_proxy(new RunProxy(this))
    , m_table(new QTableView(this))
    , m_filter(new FilterEdit(this))
    , m_filterProblem(new QLabel(this))
    , m_lineage(new LineageDelegate(m_table))
    , m_figures(new RunFigureStore(this))
    , m_grouper(new RunGrouper(m_figures, this))
    , m_marks(new QTimer(this))
{
    m_marks->setSingleShot(true);
    m_marks->setInterval(0);
    connect(m_marks, &QTimer::timeout, this, &RunList::showRows);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(SortRole);
    auto* card = makeCard(this);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(card);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 10, 1, 1);
    layout->setSpacing(8);
    makeActions();
    makeGroupActions();
    layout->addWidget(makeBar());
    layout->addLayout(makeFilter());
    makeTable();
    layout->addWidget(m_table, 1);
}

QWidget* RunList::makeBar()
{
    auto* widget = new QWidget(this);
    widget->setProperty("plain", true);
    auto* bar = new QHBoxLayout(widget);
    bar->setContentsMargins(12, 0, 10, 0);
    bar->setSpacing(6);
    bar->addWidget(makeHeading(tr("Runs"), widget, 1.1));
    bar->addStretch(1);
    auto* filters =
        makeToolButton(QStringLiteral("filter"), {}, tr("Your filters and the usual ones"), widget);
    auto* menu = new QMenu(filters);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillFilterMenu(menu); });
    filters->setMenu(menu);
    filters->setPopupMode(QToolButton::InstantPopup);
    bar->addWidget(filters);
    auto* groups = makeToolButton(QStringLiteral("group"), {}, tr("Group the runs"), widget);
    auto* ways = new QMenu(groups);
    connect(ways, &QMenu::aboutToShow, this, [this, ways] { m_grouper->fillMenu(ways); });
    groups->setMenu(ways);
    groups->setPopupMode(QToolButton::InstantPopup);
    bar->addWidget(groups);
    auto* columns = makeToolButton(QStringLiteral("columns"), {}, tr("Choose the columns"), widget);
    connect(columns, &QToolButton::clicked, this, &RunList::chooseColumns);
    bar->addWidget(columns);
    auto* fresh = new QPushButton(tr("&New run…"), widget);
    makePrimary(fresh);
    fresh->setToolTip(tr("Start a training run (Ctrl+R)"));
    connect(fresh, &QPushButton::clicked, this, &RunList::newRunAsked);
    bar->addWidget(fresh);
    return widget;
}

QLayout* RunList::makeFilter()
{
    auto* find = new QVBoxLayout;
    find->setContentsMargins(12, 0, 10, 0);
    find->setSpacing(4);
    m_filter->setPlaceholderText(tr("Find or filter: correct_rate > 0.5 and rl.lr < 1e-4"));
    m_filter->setAccessibleName(tr("Find or filter runs"));
    QStringList names;
    for (const RunFilterName& name : runFilterNames())
        names.append(toQString(name.key));
    m_filter->setToolTip(
        tr("Words are searched for in names, tags, notes and other texts of a run. Compare "
           "metrics and parameters by their names, and %1: status = done and correct_rate:held-out > 0.5, "
           "not (tag = old) or is = starred.")
            .arg(names.join(QStringLiteral(", "))));
    connect(m_filter, &QLineEdit::textChanged, this, &RunList::applyFilter);
    connect(m_filter, &QLineEdit::textEdited, m_figures, &RunFigureStore::wantNames);
    connect(m_filter, &QLineEdit::editingFinished, this, &RunList::stateChanged);
    find->addWidget(m_filter);
    m_filterProblem->setObjectName(QStringLiteral("filterProblem"));
    m_filterProblem->setProperty("bad", true);
    m_filterProblem->setWordWrap(true);
    m_filterProblem->hide();
    find->addWidget(m_filterProblem);
    m_tellMistake.setSingleShot(true);
    m_tellMistake.setInterval(mistakePause);
    connect(&m_tellMistake, &QTimer::timeout, m_filterProblem, &QWidget::show);
    connect(m_figures, &RunFigureStore::namesChanged, this, [this] {
        updateWords();
        applyFilter();
    });
    connect(m_figures, &RunFigureStore::changed, this, [this] {
        m_marks->start();
        Q_EMIT figuresChanged();
    });
    connect(m_figures, &RunFigureStore::problem, this, &RunList::statusMessage);
    updateWords();
    return find;
}

void RunList::makeActions()
{
    const auto add = [this](const QString& text, const QKeySequence& key, auto act) {
        auto* action = new QAction(text, m_table);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, act);
        m_table->addAction(action);
        return action;
    };
    using Field = Annotation::Field;
    m_show = add(tr("Keep on the c&harts"), Qt::Key_Space, [this] {
        toggle(
            Field::Shown, [](const AnnotationState& notes) { return notes.shown; },
            tr("%1 stays on the charts."), tr("%1 is on the charts only while it is selected."));
    });
    m_star = add(tr("&Star"), Qt::CTRL | Qt::Key_D, [this] {
        toggle(
            Field::Star, [](const AnnotationState& notes) { return notes.starred; }, tr("%1 has a star."),
            tr("%1 has no star."));
    });
    m_notes = add(tr("&Tags and note…"), Qt::Key_F2, [this] { editNotes(); });
    m_archive = add(tr("&Archive"), Qt::Key_Delete, [this] {
        toggle(
            Field::Archive, [](const AnnotationState& notes) { return notes.archived; },
            tr("%1 is archived: the filter `is = archived` shows it. Undo: Ctrl+Z."),
            tr("%1 is no longer archived."));
    });
    m_find = new QAction(themedIcon(QStringLiteral("search")), tr("&Find a run"), this);
    m_find->setShortcut(QKeySequence::Find);
    connect(m_find, &QAction::triggered, this, [this] {
        m_filter->setFocus();
        m_filter->selectAll();
    });
}

void RunList::makeGroupActions()
{
    const auto add = [this](const QString& text, Qt::Key key, bool collapse) {
        auto* action = new QAction(text, m_table);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        action->setEnabled(false); // the keys move the cell otherwise
        connect(action, &QAction::triggered, this, [this, collapse] {
            const QModelIndex index = m_table->currentIndex();
            if (!headAt(index)) { // from a run to its head, as in trees
                QModelIndex above = index;
                while (collapse && above.isValid() && !headAt(above))
                    above = above.siblingAtRow(above.row() - 1);
                if (above.isValid() && collapse)
                    m_table->setCurrentIndex(above);
                return;
            }
            setCollapsed(index, collapse);
        });
        m_table->addAction(action);
        return action;
    };
    m_collapse = add(tr("&Collapse the group"), Qt::Key_Left, true);
    m_expand = add(tr("&Expand the group"), Qt::Key_Right, false);
    connect(m_grouper, &RunGrouper::changed, this, [this] {
        const bool groups = m_grouper->grouping().active();
        m_collapse->setEnabled(groups);
        m_expand->setEnabled(groups);
        m_lineage->setIndented(groups || m_table->horizontalHeader()->sortIndicatorSection() < 0);
        showRows();
        Q_EMIT changed();
    });
    connect(m_grouper, &RunGrouper::chosen, this, &RunList::stateChanged);
}

const RunGroupHead* RunList::headAt(const QModelIndex& index) const
{
    const RunRow* row = index.isValid() ? m_model->row(m_proxy->mapToSource(index)) : nullptr;
    return row ? row->head.get() : nullptr;
}

void RunList::setCollapsed(const QModelIndex& head, bool collapsed)
{
    if (const RunGroupHead* group = headAt(head); group && group->collapsed != collapsed)
        m_grouper->setCollapsed(QString(group->key), collapsed);
}

void RunList::makeTable()
{
    styleTable(m_table);
    m_table->setModel(m_proxy);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setSortingEnabled(true);
    m_table->setMouseTracking(true);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setMinimumSectionSize(22);
    header->setSectionsMovable(true);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setItemDelegateForColumn(RunShown, new ShownDelegate(m_table));
    m_table->setItemDelegateForColumn(RunColour, new ColourDelegate(m_table));
    m_table->setItemDelegateForColumn(RunStar, new StarDelegate(m_table));
    m_table->setItemDelegateForColumn(RunName, m_lineage);
    m_table->setItemDelegateForColumn(RunStatusColumn, new BadgeDelegate(m_table));
    m_table->setItemDelegateForColumn(RunCourse, new CourseDelegate(m_table));
    m_table->setAccessibleName(tr("Training runs; select several to compare their curves"));
    for (const RunColumn column : initiallyHidden)
        m_table->setColumnHidden(column, true);
    fitColumns(m_table,
               {QString(), QString(), QString(), QStringLiteral("PPO, another seed"),
                QStringLiteral("unreached  "), QStringLiteral("reward -0.00"), QStringLiteral("0000000"),
                QStringLiteral("evaluate · ppo"), QStringLiteral("0000 / 0000"), QStringLiteral("0000-sft"),
                QStringLiteral("good, baseline"), QStringLiteral("a line of words of a note"),
                QStringLiteral("000,000"), QStringLiteral("00 min ago")},
               RunName);
    for (const RunColumn icon : {RunShown, RunColour, RunStar})
        header->resizeSection(icon, atTextSize(18) + 8);
    tellWhenEmpty(m_table, tr("No run passes the filter."));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this, &RunList::showContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this,
            [this, header](const QPoint& position) { showColumnMenu(header->mapToGlobal(position)); });
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int column) {
        m_lineage->setIndented(column < 0 || m_grouper->grouping().active());
        m_table->viewport()->update();
        Q_EMIT stateChanged();
    });
    connect(m_table, &QTableView::clicked, this, &RunList::rowClicked);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (const RunGroupHead* head = headAt(index); head && index.column() != RunShown)
            setCollapsed(index, !head->collapsed);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_movingColumns)
            return;
        // Not now: a row that the filter takes away selects another in the middle of that.
        m_marks->start();
        Q_EMIT changed();
    });
}

void RunList::setSession(ProjectSession* session)
{
    if (m_session)
        m_session->disconnect(this);
    m_session = session;
    m_rows.clear();
    m_onTheWay.clear();
    m_wanted.clear();
    m_baseline.reset();
    m_model->setRows({});
    m_grouper->clear();
    m_figures->setSession(session);
    if (!session)
        return;
    // Whoever made them, here or by undoing: they count at once.
    connect(session, &ProjectSession::annotationAdded, this, [this](const Annotation& annotation) {
        if (annotation.target != Annotation::Target::Run)
            return;
        m_onTheWay.emplace_back(annotation, unixSeconds());
        showRows();
        Q_EMIT changed();
    });
    connect(session, &ProjectSession::annotationTakenBack, this, [this](const std::string& id) {
        if (std::erase_if(m_onTheWay, [&](const auto& pending) { return pending.first.id == id; }) == 0)
            return;
        showRows();
        Q_EMIT changed();
    });
}

void RunList::setRuns(std::vector<RunSummary> runs)
{
    const QString before = m_table->currentIndex().data(KeyRole).toString();
    const QString keep = !m_wanted.isEmpty() ? m_wanted : before;
    m_figures->setRuns(runs);
    m_rows = inLineage(std::move(runs));
    showRows();
    if (!m_wanted.isEmpty())
        reveal(m_wanted);
    if (!m_table->currentIndex().isValid() || !m_wanted.isEmpty()) {
        QModelIndex index = m_proxy->mapFromSource(m_model->indexOfKey(keep));
        const bool found = index.isValid();
        if (!found)
            index = m_proxy->index(0, 0);
        m_table->setCurrentIndex(index.siblingAtColumn(RunName));
        if (found)
            m_wanted.clear();
    }
    Q_EMIT changed();
}

// What was written and is not in the index yet counts already.
void RunList::showRows()
{
    const double now = unixSeconds();
    std::vector<RunRow> rows = m_rows;
    std::erase_if(m_onTheWay, [&](const auto& pending) {
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const RunRow& r) { return r.name == pending.first.key; });
        if (row == rows.end() || now - pending.second > patience)
            return true;
        const AnnotationState before = row->notes;
        applyAnnotation(row->notes, pending.first);
        return before == row->notes;
    });
    std::set<RunId> charted;
    for (const RunSummary& run : this->charted())
        charted.insert(run.id);
    for (RunRow& row : rows) {
        row.charted = charted.contains(row.id) || row.notes.shown;
        row.figures = m_figures->of(row.id);
    }
    rows = m_grouper->arrange(std::move(rows), [this](const RunRow& run) { return m_proxy->passes(run); });
    // Mostly nothing happened; how long ago something did is all that has to be painted again.
    const auto& seen = m_model->rows();
    if (std::equal(rows.begin(), rows.end(), seen.begin(), seen.end(), sameLook))
        m_table->viewport()->update();
    else {
        const QString current = m_table->currentIndex().data(KeyRole).toString();
        QStringList selected;
        const auto indexes = m_table->selectionModel()->selectedRows(RunName);
        for (const QModelIndex& index : indexes)
            selected.append(index.data(KeyRole).toString());
        m_model->setRows(std::move(rows));
        keepPlace(current, selected);
    }
}

// Another order of the rows resets the model, and a collapsed group takes its runs away.
void RunList::keepPlace(const QString& current, const QStringList& selected)
{
    if (!m_grouper->grouping().active() || current.isEmpty() ||
        m_table->currentIndex().data(KeyRole).toString() == current)
        return;
    const auto indexOf = [this](const QString& key) -> QModelIndex {
        const QModelIndex source = m_model->indexOfKey(key);
        const QModelIndex index = m_proxy->mapFromSource(source);
        if (index.isValid() || !source.isValid())
            return index;
        for (int row = source.row(); row >= 0; --row) // the head of the group that hides it
            if (m_model->rows()[static_cast<std::size_t>(row)].head)
                return m_proxy->mapFromSource(m_model->index(row, 0));
        return {};
    };
    const QModelIndex index = indexOf(current);
    if (!index.isValid())
        return;
    QItemSelection selection(index, index);
    for (const QString& key : selected)
        if (const QModelIndex also = m_proxy->mapFromSource(m_model->indexOfKey(key)); also.isValid())
            selection.select(also, also);
    m_table->selectionModel()->setCurrentIndex(index.siblingAtColumn(RunName), QItemSelectionModel::NoUpdate);
    m_table->selectionModel()->select(selection,
                                      QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_table->scrollTo(index.siblingAtColumn(RunName));
}

// Expands the group that hides a run.
void RunList::reveal(const QString& run)
{
    const RunRow* row = m_model->row(m_model->indexOfKey(run));
    if (!row || !row->hidden)
        return;
    const auto head = std::find_if(m_model->rows().begin(), m_model->rows().end(), [&](const RunRow& other) {
        return other.head && other.group == row->group;
    });
    if (head != m_model->rows().end())
        m_grouper->setCollapsed(QString(head->head->key), false);
}

void RunList::select(const QString& run)
{
    m_wanted = run;
    reveal(run);
    const QModelIndex index = m_proxy->mapFromSource(m_model->indexOfKey(run));
    if (index.isValid()) {
        m_table->setCurrentIndex(index.siblingAtColumn(RunName));
        m_table->scrollTo(index.siblingAtColumn(RunName));
        m_wanted.clear();
    }
}

void RunList::setBaseline(const std::optional<RunId>& run)
{
    m_baseline = run;
}

std::optional<RunSummary> RunList::current() const
{
    const QModelIndex index = m_table->currentIndex();
    const RunRow* run = index.isValid() ? m_model->row(m_proxy->mapToSource(index)) : nullptr;
    return run && !run->head ? std::optional<RunSummary>(*run) : std::nullopt;
}

std::vector<RunSummary> RunList::selected() const
{
    std::vector<RunSummary> runs;
    std::set<RunId> taken;
    const auto indexes = m_table->selectionModel()->selectedRows(RunName);
    for (const QModelIndex& index : indexes) {
        const RunRow* run = m_model->row(m_proxy->mapToSource(index));
        if (run && !run->head && taken.insert(run->id).second)
            runs.push_back(*run);
    }
    for (const RunGroup& group : chartedGroups()) // all of a group
        for (const RunRow& row : m_rows)
            if (std::find(group.runs.begin(), group.runs.end(), row.id) != group.runs.end() &&
                taken.insert(row.id).second)
                runs.push_back(row);
    return runs;
}

bool RunList::hasSelection() const
{
    return m_table->selectionModel()->hasSelection();
}

std::vector<RunGroup> RunList::chartedGroups() const
{
    std::vector<RunGroup> groups;
    const auto indexes = m_table->selectionModel()->selectedRows(RunName);
    for (const QModelIndex& index : indexes)
        if (const RunGroupHead* head = headAt(index))
            groups.push_back({head->title.toStdString(), head->colour, head->runs});
    return groups;
}

std::vector<RunSummary> RunList::charted() const
{
    // The current one first: it rules the panels; the others are laid over it.
    const std::size_t most = chartedGroups().empty() ? mostCharted : mostInGroups;
    std::vector<RunSummary> runs;
    std::set<RunId> taken;
    const auto add = [&](const RunSummary& run) {
        if (runs.size() < most && taken.insert(run.id).second)
            runs.push_back(run);
    };
    if (auto run = current())
        add(*run);
    for (const RunSummary& run : selected())
        add(run);
    for (const RunRow& row : m_model->rows())
        if (!row.head && (row.notes.shown || row.id == m_baseline))
            add(row);
    return runs;
}

void RunList::rowClicked(const QModelIndex& index)
{
    if (const RunGroupHead* head = headAt(index)) {
        if (index.column() == RunShown)
            setCollapsed(index, !head->collapsed);
        return;
    }
    if (index.column() == RunShown)
        m_show->trigger();
    else if (index.column() == RunStar)
        m_star->trigger();
    else if (index.column() == RunColour) {
        QMenu menu(this);
        fillColourMenu(&menu);
        const QRect cell = m_table->visualRect(index);
        menu.exec(m_table->viewport()->mapToGlobal(cell.bottomLeft()));
    }
}

void RunList::setSavedFilters(const QStringList& filters)
{
    if (!m_session || filters == m_savedFilters)
        return;
    const auto set = [self = QPointer(this)](const QStringList& list) {
        if (!self)
            return;
        self->m_savedFilters = list;
        Q_EMIT self->stateChanged();
    };
    m_session->undoStack()->push(new FunctionCommand(
        filters.size() < m_savedFilters.size() ? tr("deletion of a filter") : tr("saving of a filter"),
        [set, filters] { set(filters); }, [set, before = m_savedFilters] { set(before); }));
}

std::vector<RunRow> RunList::filtered() const
{
    std::vector<RunRow> runs;
    for (const RunRow& row : m_model->rows())
        if (!row.head && m_proxy->passes(row))
            runs.push_back(row);
    return runs;
}

QStringList RunList::columns() const
{
    return figureLines() << columnsKey() + QLatin1String(saveColumns(m_table).toBase64());
}

void RunList::setColumns(const QStringList& lines)
{
    setFigureLines(lines); // before the header, which is of so many columns
    for (const QString& line : lines) {
        if (!line.startsWith(columnsKey()))
            continue;
        QHeaderView* header = m_table->horizontalHeader();
        restoreColumns(m_table, QByteArray::fromBase64(line.mid(columnsKey().size()).toLatin1()));
        m_lineage->setIndented(header->sortIndicatorSection() < 0 || m_grouper->grouping().active());
    }
}

QStringList RunList::state() const
{
    QStringList lines{QStringLiteral("@filter=%1").arg(m_filter->text())};
    lines += columns();
    lines += m_grouper->state();
    for (const QString& filter : m_savedFilters)
        lines.append(QStringLiteral("@saved=%1").arg(filter));
    return lines;
}

void RunList::setState(const QStringList& lines)
{
    m_grouper->setState(lines);
    setColumns(lines);
    m_savedFilters.clear();
    QString filter;
    for (const QString& line : lines) {
        const QString value = line.section(QLatin1Char('='), 1);
        if (line.startsWith(QLatin1String("@saved=")))
            m_savedFilters.append(value);
        else if (line.startsWith(QLatin1String("@filter=")))
            filter = value;
    }
    m_filter->setText(filter);
}

} // namespace sparserl
