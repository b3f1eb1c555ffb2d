// SPDX-License-Identifier: Apache-2.0
// The run list's metrics, parameters and tags: as columns, and as what a filter compares.
#include "verdict/names.h"
#include "widgets/common/filter_edit.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/training/run_columns_dialog.h"
#include "widgets/training/run_figure_store.h"
#include "widgets/training/run_grouper.h"
#include "widgets/training/run_groups.h"
#include "widgets/training/run_list.h"

#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QTableView>
#include <algorithm>

namespace sparserl {

namespace {

constexpr QLatin1String figureKey("@figure=");
/// Longer names of columns are cut; the tool tip has them whole.
constexpr int widestTitle = 16;

} // namespace

// Selections are of whole rows: a column that came behind them would be none of theirs.
void RunList::setFigures(std::vector<RunFigure> figures)
{
    if (figures == m_figureColumns)
        return;
    m_figureColumns = std::move(figures);
    QStringList selected;
    const auto indexes = m_table->selectionModel()->selectedRows(RunName);
    for (const QModelIndex& index : indexes)
        selected.append(index.data(KeyRole).toString());
    {
        // The rows are the same before and after: what is on the charts does not change in between.
        const QScopedValueRollback moving(m_movingColumns, true);
        m_proxy->setFigures(m_figureColumns);
        setFigureColumns(m_model, m_figureColumns);
        for (std::size_t i = 0; i < m_figureColumns.size(); ++i) {
            const QString title = figureName(m_figureColumns[i]).left(widestTitle);
            fitColumn(m_table, RunColumns + static_cast<int>(i), title.leftJustified(6, QLatin1Char('0')));
        }
        QItemSelection selection;
        for (const QString& key : selected)
            if (const QModelIndex index = m_proxy->mapFromSource(m_model->indexOfKey(key)); index.isValid())
                selection.select(index, index);
        m_table->selectionModel()->select(selection,
                                          QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
    m_figures->want(QStringLiteral("columns"), m_figureColumns);
    showRows();
    Q_EMIT stateChanged();
}

void RunList::setFigure(const RunFigure& figure, bool shown)
{
    std::vector<RunFigure> figures = m_figureColumns;
    const auto at = std::find(figures.begin(), figures.end(), figure);
    if (shown == (at != figures.end()))
        return;
    if (shown)
        figures.push_back(figure);
    else
        figures.erase(at);
    setFigures(std::move(figures));
}

RunColumnsDialog* RunList::chooseColumns()
{
    auto* dialog = new RunColumnsDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const auto fill = [this, dialog] {
        std::set<int> shown;
        for (int column = 0; column < RunColumns; ++column)
            if (!m_table->isColumnHidden(column))
                shown.insert(column);
        dialog->setReading(m_session && !m_figures->named());
        dialog->setChoices(m_figures->names(), differingParameters(m_figures->parameters()), shown,
                           m_figureColumns);
    };
    connect(dialog, &RunColumnsDialog::columnToggled, this, [this](int column, bool on) {
        m_table->setColumnHidden(column, !on);
        Q_EMIT stateChanged();
    });
    connect(dialog, &RunColumnsDialog::figureToggled, this, &RunList::setFigure);
    // Only what there is to choose: a value that came is no reason to close what was opened.
    connect(m_figures, &RunFigureStore::namesChanged, dialog, fill);
    m_figures->wantNames();
    fill();
    dialog->open();
    return dialog;
}

QStringList RunList::figureLines() const
{
    QStringList lines;
    for (const RunFigure& figure : m_figureColumns)
        lines.append(figureKey + toQString(figure.text()));
    return lines;
}

void RunList::setFigureLines(const QStringList& lines)
{
    std::vector<RunFigure> figures;
    for (const QString& line : lines)
        if (line.startsWith(figureKey))
            if (auto figure = RunFigure::fromText(line.mid(figureKey.size()).toStdString());
                figure && std::find(figures.begin(), figures.end(), *figure) == figures.end())
                figures.push_back(std::move(*figure));
    setFigures(std::move(figures));
}

void RunList::applyFilter()
{
    const std::string text = m_filter->text().toStdString();
    const RunNames* names = m_figures->named() ? &m_figures->names() : nullptr;
    auto filter = RunFilter::parse(text, names);
    const bool asks = !filter || !filter->figures().empty();
    if (asks && m_session)
        m_figures->wantNames();
    // A name may be a parameter's that was not read yet: then it is too early to call it a mistake.
    const bool early = !filter && m_session && !m_figures->named();
    setStyled(m_filter, "invalid", !filter && !early);
    m_tellMistake.stop();
    m_filterProblem->hide();
    if (!filter) { // what was shown stays until this one is right
        if (!early) {
            m_filterProblem->setText(asSentence(sentenceOf(filter.error())));
            m_tellMistake.start();
        }
        // Half a name may have matched nothing: then nothing of it is worth keeping.
        if (!early && m_proxy->rowCount() == 0)
            filterRows({});
        return;
    }
    m_figures->want(QStringLiteral("filter"), filter->figures());
    filterRows(std::move(*filter));
}

// Each letter of a filter may take the selected run away for a moment. Nobody has chosen another one by that.
void RunList::filterRows(RunFilter filter)
{
    const auto currentKey = [this] { return m_table->currentIndex().data(KeyRole).toString(); };
    if (m_beforeFilter.isEmpty() || currentKey() != m_leftByFilter)
        m_beforeFilter = currentKey();
    m_proxy->setFilter(std::move(filter));
    if (m_grouper->grouping().active()) // heads count what the filter leaves
        showRows();
    const QModelIndex before = m_proxy->mapFromSource(m_model->indexOfKey(m_beforeFilter));
    if (before.isValid() && currentKey() != m_beforeFilter)
        m_table->setCurrentIndex(before.siblingAtColumn(RunName));
    else if (!m_table->currentIndex().isValid() && m_proxy->rowCount() > 0)
        m_table->setCurrentIndex(m_proxy->index(0, RunName));
    m_leftByFilter = currentKey();
    Q_EMIT changed();
}

void RunList::updateWords()
{
    QList<std::pair<QString, QString>> words;
    for (const RunFilterName& name : runFilterNames())
        words.append({toQString(name.key), toQString(name.help)});
    for (const char* word : {"and", "or", "not"})
        words.append({QString::fromLatin1(word), tr("Joins conditions.")});
    for (const std::string& state : runFilterStates())
        words.append({toQString(state), tr("A state of runs, for example: is = %1.").arg(toQString(state))});
    const RunNames& names = m_figures->names();
    const auto quoted = [](const std::string& word) {
        const QString text = toQString(word);
        return text.contains(QLatin1Char(' ')) ? QLatin1Char('"') + text + QLatin1Char('"') : text;
    };
    for (const std::string& tag : names.tags)
        words.append({quoted(tag), tr("A tag.")});
    for (const auto& [name, splits] : names.metrics) {
        words.append({toQString(name), tr("Last value of the metric.")});
        for (const std::string& split : splits)
            if (splits.size() > 1)
                words.append({toQString(name + ":" + split),
                              tr("Last value of the metric on %1.").arg(toQString(split))});
    }
    for (const std::string& key : names.parameters)
        words.append({toQString(key), tr("A parameter of the run.")});
    m_filter->setWords(words);
}

} // namespace sparserl
