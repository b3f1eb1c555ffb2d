// SPDX-License-Identifier: Apache-2.0
// The menus of the run list: what stands in them. What they do is in run_list.cpp and run_list_notes.cpp.
#include "widgets/common/filter_edit.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/open_folder.h"
#include "widgets/training/run_delegates.h"
#include "widgets/training/run_grouper.h"
#include "widgets/training/run_list.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QTableView>

namespace sparserl {

namespace {

constexpr int colourChoices = 18;

} // namespace

void RunList::fillColourMenu(QMenu* menu)
{
    const auto runs = selected();
    const auto choose = [this](const std::string& value) { setColour(value); };
    const Theme& theme = Theme::of(this);
    for (int colour = 0; colour < colourChoices; ++colour) {
        const int number = theme.fixedColour(colour);
        QAction* action =
            menu->addAction(colourIcon(theme.seriesColour(colour)), tr("Colour %1").arg(colour + 1), this,
                            [choose, number] { choose(std::to_string(number)); });
        action->setCheckable(true);
        action->setChecked(runs.size() == 1 &&
                           theme.seriesColour(runColour(runs.front())) == theme.seriesColour(number));
        action->setIconVisibleInMenu(true);
    }
    menu->addSeparator();
    menu->addAction(tr("Its &own"), this, [choose] { choose({}); });
}

void RunList::showGroupMenu(const QPoint& position)
{
    const RunGroupHead* head = headAt(m_table->currentIndex());
    if (!head)
        return;
    QMenu menu(this);
    menu.addAction(head->collapsed ? m_expand : m_collapse);
    QStringList heads;
    for (const RunRow& row : m_model->rows())
        if (row.head)
            heads.append(row.head->key);
    menu.addAction(tr("Collapse &all groups"), this, [this, heads] { m_grouper->setAllCollapsed(heads); });
    menu.addAction(tr("E&xpand all groups"), this, [this] { m_grouper->setAllCollapsed({}); });
    menu.addSeparator();
    menu.addAction(m_show);
    menu.addAction(m_star);
    menu.addSeparator();
    menu.addAction(tr("&No groups"), this, [this] { m_grouper->group({}); });
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

void RunList::showContextMenu(const QPoint& position)
{
    const auto run = current();
    if (!run) {
        const QRect cell = m_table->visualRect(m_table->currentIndex());
        showGroupMenu(m_table->viewport()->rect().contains(position) ? position : cell.bottomLeft());
        return;
    }
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
    menu.addSeparator();
    QAction* fork = menu.addAction(themedIcon(QStringLiteral("fork")), tr("&Fork…"), this,
                                   [this, name = toQString(run->name)] { Q_EMIT forkAsked(name); });
    fork->setEnabled(run->checkpoints > 0);
    fillExportMenu(menu.addMenu(themedIcon(QStringLiteral("export")), tr("Export the curves")));
    menu.addAction(tr("Copy the &name"), this,
                   [run] { QGuiApplication::clipboard()->setText(toQString(run->name)); });
    menu.addAction(tr("Show the fol&der"), this, [this, path = run->path] {
        if (const QString problem = openFolder(path); !problem.isEmpty())
            Q_EMIT statusMessage(problem);
    });
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
    menu.addAction(tr("&Metrics, parameters and tags…"), this, &RunList::chooseColumns);
    const int clicked =
        m_table->horizontalHeader()->logicalIndexAt(m_table->horizontalHeader()->mapFromGlobal(position).x());
    if (const auto at = static_cast<std::size_t>(clicked - RunColumns);
        clicked >= RunColumns && at < m_figureColumns.size())
        menu.addAction(tr("&Remove %1").arg(figureName(m_figureColumns[at])), this,
                       [this, figure = m_figureColumns[at]] { setFigure(figure, false); });
    menu.addSeparator();
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
    offer(tr("&Running"), QStringLiteral("status = running"));
    offer(tr("&Starred"), QStringLiteral("is = starred"));
    offer(tr("&Failed or stopped"), QStringLiteral("status = failed or status = stopped"));
    offer(tr("Ar&chived"), QStringLiteral("is = archived"));
    if (!m_savedFilters.isEmpty())
        menu->addSeparator();
    for (const QString& filter : m_savedFilters)
        offer(QString(filter).replace(QLatin1Char('&'), QStringLiteral("&&")), filter);
    menu->addSeparator();
    const QString now = m_filter->text().trimmed();
    const bool saved = m_savedFilters.contains(now);
    QAction* keep = menu->addAction(saved ? tr("F&orget this filter") : tr("&Keep this filter"), this,
                                    [this, now, saved] {
                                        QStringList filters = m_savedFilters;
                                        if (saved)
                                            filters.removeAll(now);
                                        else
                                            filters.append(now);
                                        setSavedFilters(filters);
                                    });
    keep->setEnabled(!now.isEmpty() && m_filter->property("invalid") != true);
}

void RunList::fillMenu(QMenu* menu)
{
    menu->addAction(m_find);
    auto* groups = menu->addMenu(themedIcon(QStringLiteral("group")), tr("&Group the runs by"));
    m_grouper->fillMenu(groups);
    connect(groups, &QMenu::aboutToShow, this, [this, groups] { m_grouper->fillMenu(groups); });
    menu->addAction(themedIcon(QStringLiteral("columns")), tr("Columns of the run list…"), this,
                    &RunList::chooseColumns);
}

void RunList::fillSelectionMenu(QMenu* menu)
{
    for (QAction* action : {m_show, m_star, m_notes, m_archive})
        menu->addAction(action);
    fillExportMenu(menu->addMenu(themedIcon(QStringLiteral("export")), tr("Export the curves")));
}

} // namespace sparserl
