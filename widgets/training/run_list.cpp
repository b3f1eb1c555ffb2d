// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_list.h"

#include "base/time.h"
#include "project/unique_id.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/training/run_delegates.h"
#include "widgets/training/run_notes_dialog.h"

#include <QAction>
#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr std::size_t mostCharted = 12;
constexpr int colourChoices = 18;
/// An annotation that the index does not have after so many seconds was not written.
constexpr double patience = 10;
constexpr std::array initiallyHidden{RunStage, RunStep, RunFrom, RunTags, RunNote, RunPrograms, RunUpdated};

/// Whether a row would be painted alike, the time apart.
bool sameLook(const RunRow& a, const RunRow& b)
{
    return a.id == b.id && a.depth == b.depth && a.charted == b.charted && a.notes == b.notes &&
           a.status == b.status && a.reason == b.reason && a.hasWorker == b.hasWorker && a.step == b.step &&
           a.totalSteps == b.totalSteps && a.samples == b.samples && a.checkpoints == b.checkpoints &&
           a.generation == b.generation && a.updated == b.updated && a.headline == b.headline &&
           (a.lastValue == b.lastValue || (std::isnan(a.lastValue) && std::isnan(b.lastValue))) &&
           a.spark.size() == b.spark.size() && a.title == b.title && !a.heartbeat && !b.heartbeat;
}

Annotation annotationOf(const RunSummary& run, Annotation::Field field, const std::string& value)
{
    Annotation annotation;
    annotation.id = uniqueId();
    annotation.target = Annotation::Target::Run;
    annotation.key = run.name;
    annotation.field = field;
    annotation.value = value;
    return annotation;
}

} // namespace

void RunProxy::setFilter(RunFilter filter)
{
    m_filter = std::move(filter);
    invalidateFilter();
}

bool RunProxy::filterAcceptsRow(int row, const QModelIndex&) const
{
    const RunRow* run = static_cast<RunModel*>(sourceModel())->row(sourceModel()->index(row, 0));
    return run && m_filter.matches(*run);
}

RunList::RunList(QWidget* parent)
    : QWidget(parent)
    , m_model(makeRunModel(this))
    , m_proxy(new RunProxy(this))
    , m_table(new QTableView(this))
    , m_filter(new QLineEdit(this))
    , m_lineage(new LineageDelegate(m_table))
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
    layout->addWidget(makeBar());
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
    bar->addSpacing(4);
    m_filter->setPlaceholderText(tr("Filter: words, is:starred, last>0.5"));
    m_filter->setAccessibleName(tr("Filter the runs"));
    QStringList words;
    for (const std::string& word : RunFilter::words())
        words.append(toQString(word));
    m_filter->setToolTip(tr("Words stand for themselves; %1 ask one thing each; a minus in front turns it "
                            "around.")
                             .arg(words.join(QStringLiteral(", "))));
    m_filter->setClearButtonEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, this, &RunList::applyFilter);
    connect(m_filter, &QLineEdit::editingFinished, this, &RunList::stateChanged);
    bar->addWidget(m_filter, 1);
    auto* filters =
        makeToolButton(QStringLiteral("filter"), {}, tr("Filters, yours and the usual ones"), widget);
    auto* menu = new QMenu(filters);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillFilterMenu(menu); });
    filters->setMenu(menu);
    filters->setPopupMode(QToolButton::InstantPopup);
    bar->addWidget(filters);
    auto* columns = makeToolButton(QStringLiteral("columns"), {}, tr("Choose the columns"), widget);
    connect(columns, &QToolButton::clicked, this,
            [this, columns] { showColumnMenu(columns->mapToGlobal(QPoint(0, columns->height()))); });
    bar->addWidget(columns);
    auto* fresh = new QPushButton(tr("&New run…"), widget);
    makePrimary(fresh);
    fresh->setToolTip(tr("Start a training run (Ctrl+R)"));
    connect(fresh, &QPushButton::clicked, this, &RunList::newRunAsked);
    bar->addWidget(fresh);
    return widget;
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
    m_show = add(tr("Keep on the &charts"), Qt::Key_Space, [this] {
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
            tr("%1 is archived: the filter is:archived shows it. Undo: Ctrl+Z."),
            tr("%1 is no longer archived."));
    });
    m_undoAction = add(tr("&Undo"), QKeySequence::Undo, [this] { undo(); });
    m_undoAction->setEnabled(false);
    m_find = new QAction(themedIcon(QStringLiteral("search")), tr("&Find a run"), this);
    m_find->setShortcut(QKeySequence::Find);
    connect(m_find, &QAction::triggered, this, [this] {
        m_filter->setFocus();
        m_filter->selectAll();
    });
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
                QStringLiteral("interrupted  "), QStringLiteral("-0.000"), QStringLiteral("0000000"),
                QStringLiteral("evaluate · ppo"), QStringLiteral("0000 / 0000"), QStringLiteral("0000-sft"),
                QStringLiteral("good, baseline"), QStringLiteral("a line of words of a note"),
                QStringLiteral("000,000"), QStringLiteral("00 min ago")},
               RunName);
    for (const RunColumn icon : {RunShown, RunColour, RunStar})
        header->resizeSection(icon, 26);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this, &RunList::showContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this,
            [this, header](const QPoint& position) { showColumnMenu(header->mapToGlobal(position)); });
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int column) {
        m_lineage->setIndented(column < 0);
        m_table->viewport()->update();
        Q_EMIT stateChanged();
    });
    connect(m_table, &QTableView::clicked, this, &RunList::rowClicked);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        // Not now: a row that the filter takes away selects another in the middle of that.
        m_marks->start();
        Q_EMIT changed();
    });
}

void RunList::setSession(ProjectSession* session)
{
    m_session = session;
    m_rows.clear();
    m_onTheWay.clear();
    m_done.clear();
    m_wanted.clear();
    m_baseline.reset();
    m_undoAction->setEnabled(false);
    m_model->setRows({});
}

void RunList::setRuns(std::vector<RunSummary> runs)
{
    const auto before = current();
    const QString keep = !m_wanted.isEmpty() ? m_wanted : before ? toQString(before->name) : QString();
    m_rows = inLineage(std::move(runs));
    showRows();
    if (!current() || !m_wanted.isEmpty()) {
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
    for (RunRow& row : rows)
        row.charted = charted.contains(row.id) || row.notes.shown;
    // Mostly nothing happened; how long ago something did is all that has to be painted again.
    const auto& seen = m_model->rows();
    if (std::equal(rows.begin(), rows.end(), seen.begin(), seen.end(), sameLook))
        m_table->viewport()->update();
    else
        m_model->setRows(std::move(rows));
}

void RunList::select(const QString& run)
{
    m_wanted = run;
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
    return run ? std::optional<RunSummary>(*run) : std::nullopt;
}

std::vector<RunSummary> RunList::selected() const
{
    std::vector<RunSummary> runs;
    const auto indexes = m_table->selectionModel()->selectedRows(RunName);
    for (const QModelIndex& index : indexes)
        if (const RunRow* run = m_model->row(m_proxy->mapToSource(index)))
            runs.push_back(*run);
    return runs;
}

std::vector<RunSummary> RunList::charted() const
{
    // The current one first: it rules the panels; the others are laid over it.
    std::vector<RunSummary> runs;
    std::set<RunId> taken;
    const auto add = [&](const RunSummary& run) {
        if (runs.size() < mostCharted && taken.insert(run.id).second)
            runs.push_back(run);
    };
    if (auto run = current())
        add(*run);
    for (const RunSummary& run : selected())
        add(run);
    for (const RunRow& row : m_model->rows())
        if (row.notes.shown || row.id == m_baseline)
            add(row);
    return runs;
}

void RunList::rowClicked(const QModelIndex& index)
{
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

void RunList::fillColourMenu(QMenu* menu)
{
    const auto runs = selected();
    const auto choose = [this](const std::string& value) {
        std::vector<Annotation> changes;
        for (const RunSummary& run : selected())
            changes.push_back(annotationOf(run, Annotation::Field::Colour, value));
        annotate(changes, tr("colour"));
    };
    const Theme& theme = Theme::of(this);
    for (int colour = 0; colour < colourChoices; ++colour) {
        QAction* action =
            menu->addAction(colourIcon(theme.seriesColour(colour)), tr("Colour %1").arg(colour + 1), this,
                            [choose, colour] { choose(std::to_string(colour)); });
        action->setCheckable(true);
        action->setChecked(runs.size() == 1 && runColour(runs.front()) == colour);
        action->setIconVisibleInMenu(true);
    }
    menu->addSeparator();
    menu->addAction(tr("Its &own"), this, [choose] { choose({}); });
}

void RunList::showContextMenu(const QPoint& position)
{
    const auto run = current();
    if (!run)
        return;
    QMenu menu(this);
    for (QAction* action : {m_show, m_star, m_archive})
        action->setCheckable(true);
    m_show->setChecked(run->notes.shown);
    m_star->setChecked(run->notes.starred);
    m_archive->setChecked(run->notes.archived);
    menu.addAction(m_show);
    menu.addAction(tr("Compare the others &with it"), this,
                   [this, name = toQString(run->name)] { Q_EMIT baselineAsked(name); });
    fillColourMenu(menu.addMenu(tr("C&olour")));
    menu.addSeparator();
    menu.addAction(m_star);
    menu.addAction(m_notes);
    menu.addAction(m_archive);
    menu.addAction(m_undoAction);
    menu.addSeparator();
    QAction* fork = menu.addAction(themedIcon(QStringLiteral("fork")), tr("&Fork…"), this,
                                   [this, name = toQString(run->name)] { Q_EMIT forkAsked(name); });
    fork->setEnabled(run->checkpoints > 0);
    menu.addAction(tr("Copy the &name"), this,
                   [run] { QGuiApplication::clipboard()->setText(toQString(run->name)); });
    menu.addAction(tr("Show the fol&der"), this,
                   [run] { QDesktopServices::openUrl(QUrl::fromLocalFile(toQString(run->path.string()))); });
    // From the keyboard there is no position.
    const QRect cell = m_table->visualRect(m_table->currentIndex());
    const QPoint at = m_table->viewport()->rect().contains(position) ? position : cell.bottomLeft();
    menu.exec(m_table->viewport()->mapToGlobal(at));
    for (QAction* action : {m_show, m_star, m_archive})
        action->setCheckable(false);
}

void RunList::showColumnMenu(const QPoint& position)
{
    QMenu menu(this);
    for (int column = 0; column < RunColumns; ++column) {
        QAction* action = menu.addAction(runColumnName(column), this, [this, column](bool on) {
            m_table->setColumnHidden(column, !on);
            Q_EMIT stateChanged();
        });
        action->setCheckable(true);
        action->setChecked(!m_table->isColumnHidden(column));
        action->setEnabled(column != RunName);
    }
    menu.addSeparator();
    menu.addAction(tr("Order of &lineage"), this,
                   [this] { m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder); });
    menu.exec(position);
}

void RunList::fillFilterMenu(QMenu* menu)
{
    menu->clear();
    const auto offer = [&](const QString& text, const QString& filter) {
        QAction* action = menu->addAction(text, this, [this, filter] {
            m_filter->setText(filter);
            Q_EMIT stateChanged();
        });
        action->setCheckable(true);
        action->setChecked(m_filter->text().trimmed() == filter);
    };
    offer(tr("&All runs"), {});
    offer(tr("&Running"), QStringLiteral("is:running"));
    offer(tr("&Starred"), QStringLiteral("is:starred"));
    offer(tr("&Failed or interrupted"),
          QStringLiteral("-status:done -status:live -status:queued -status:paused"));
    offer(tr("Ar&chived"), QStringLiteral("is:archived"));
    if (!m_savedFilters.isEmpty())
        menu->addSeparator();
    for (const QString& filter : m_savedFilters)
        offer(QString(filter).replace(QLatin1Char('&'), QStringLiteral("&&")), filter);
    menu->addSeparator();
    const QString now = m_filter->text().trimmed();
    const bool saved = m_savedFilters.contains(now);
    QAction* keep = menu->addAction(saved ? tr("F&orget this filter") : tr("&Keep this filter"), this,
                                    [this, now, saved] {
                                        if (saved)
                                            m_savedFilters.removeAll(now);
                                        else
                                            m_savedFilters.append(now);
                                        Q_EMIT stateChanged();
                                    });
    keep->setEnabled(!now.isEmpty() && RunFilter::parse(now.toStdString()));
}

void RunList::applyFilter()
{
    auto filter = RunFilter::parse(m_filter->text().toStdString());
    m_filter->setProperty("bad", !filter);
    m_filter->style()->unpolish(m_filter);
    m_filter->style()->polish(m_filter);
    if (!filter) {
        Q_EMIT statusMessage(sentenceOf(filter.error()));
        return;
    }
    m_proxy->setFilter(std::move(*filter));
    if (!current() && m_proxy->rowCount() > 0)
        m_table->setCurrentIndex(m_proxy->index(0, RunName));
    Q_EMIT changed();
}

void RunList::annotate(const std::vector<Annotation>& annotations, const QString& what)
{
    if (!m_session || annotations.empty())
        return;
    Done done{what, {}};
    for (Annotation annotation : annotations) {
        if (annotation.id.empty())
            annotation.id = uniqueId();
        done.ids.push_back(annotation.id);
        m_onTheWay.emplace_back(annotation, unixSeconds());
        m_session->annotate(annotation);
    }
    m_done.push_back(std::move(done));
    m_undoAction->setEnabled(true);
    m_undoAction->setText(tr("&Undo: %1").arg(what));
    showRows();
    Q_EMIT changed();
}

void RunList::undo()
{
    if (m_done.empty() || !m_session)
        return;
    const Done last = std::move(m_done.back());
    m_done.pop_back();
    for (const std::string& id : last.ids) {
        std::erase_if(m_onTheWay, [&](const auto& pending) { return pending.first.id == id; });
        m_session->undoAnnotation(id);
    }
    m_undoAction->setEnabled(!m_done.empty());
    m_undoAction->setText(m_done.empty() ? tr("&Undo") : tr("&Undo: %1").arg(m_done.back().what));
    Q_EMIT statusMessage(tr("Taken back: %1.").arg(last.what));
    showRows();
    Q_EMIT changed();
}

void RunList::toggle(Annotation::Field field, const std::function<bool(const AnnotationState&)>& has,
                     const QString& on, const QString& off)
{
    const auto runs = selected();
    if (runs.empty())
        return;
    // Several become what the current one becomes.
    const auto first = current();
    const bool now = !has((first ? *first : runs.front()).notes);
    std::vector<Annotation> changes;
    QStringList names;
    for (const RunSummary& run : runs) {
        names.append(runLabel(run));
        if (has(run.notes) == now)
            continue;
        changes.push_back(annotationOf(run, field, now ? "1" : "0"));
        if (field == Annotation::Field::Shown && now) // keeps the colour that it was seen in
            changes.push_back(annotationOf(run, Annotation::Field::Colour, std::to_string(runColour(run))));
    }
    const QString sentence = (now ? on : off).arg(names.join(QStringLiteral(", ")));
    annotate(changes, toQString(nameOf(field)));
    Q_EMIT statusMessage(sentence);
}

void RunList::setStarred(const std::string& run, bool on)
{
    for (const RunRow& row : m_rows)
        if (row.name == run)
            annotate({annotationOf(row, Annotation::Field::Star, on ? "1" : "0")}, tr("star"));
}

void RunList::editNotes()
{
    const auto run = current();
    if (!run)
        return;
    std::set<QString> known;
    for (const RunRow& row : m_rows)
        for (const std::string& tag : row.notes.tags)
            known.insert(toQString(tag));
    auto* dialog = new RunNotesDialog(*run, QStringList(known.begin(), known.end()), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog] { annotate(dialog->changes(), tr("tags and note")); });
    dialog->open();
}

void RunList::fillMenu(QMenu* menu)
{
    menu->addAction(m_find);
    menu->addSeparator();
    for (QAction* action : {m_show, m_star, m_notes, m_archive, m_undoAction})
        menu->addAction(action);
}

QStringList RunList::state() const
{
    QStringList lines{QStringLiteral("@filter=%1").arg(m_filter->text()),
                      QStringLiteral("@columns%1=%2")
                          .arg(RunColumns)
                          .arg(QLatin1String(m_table->horizontalHeader()->saveState().toBase64()))};
    for (const QString& filter : m_savedFilters)
        lines.append(QStringLiteral("@saved=%1").arg(filter));
    return lines;
}

void RunList::setState(const QStringList& lines)
{
    const QString columns = QStringLiteral("@columns%1=").arg(RunColumns);
    m_savedFilters.clear();
    QString filter;
    for (const QString& line : lines) {
        const QString value = line.section(QLatin1Char('='), 1);
        if (line.startsWith(columns)) {
            QHeaderView* header = m_table->horizontalHeader();
            header->restoreState(QByteArray::fromBase64(value.toLatin1()));
            m_lineage->setIndented(header->sortIndicatorSection() < 0);
        } else if (line.startsWith(QLatin1String("@saved="))) {
            m_savedFilters.append(value);
        } else if (line.startsWith(QLatin1String("@filter="))) {
            filter = value;
        }
    }
    m_filter->setText(filter);
}

} // namespace sparserl
