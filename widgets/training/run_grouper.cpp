// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_grouper.h"

#include "widgets/common/format.h"
#include "widgets/training/run_figure_store.h"

#include <QMenu>
#include <algorithm>

namespace sparserl {

namespace {

/// More than so many stand in a menu of their own for each first word.
constexpr std::size_t longestMenu = 16;

// QMenu::clear() leaves the menus inside it alive.
void empty(QMenu* menu)
{
    menu->clear();
    qDeleteAll(menu->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
}

} // namespace

RunGrouper::RunGrouper(RunFigureStore* figures, QObject* parent)
    : QObject(parent)
    , m_figures(figures)
{
    connect(figures, &RunFigureStore::parametersRead, this, [this] {
        if (m_grouping.by == RunGrouping::By::Parameter)
            Q_EMIT changed();
    });
}

void RunGrouper::clear()
{
    m_grouping = {};
    m_collapsed.clear();
}

void RunGrouper::group(const RunGrouping& grouping)
{
    if (grouping == m_grouping)
        return;
    m_grouping = grouping;
    if (grouping.by == RunGrouping::By::Parameter)
        m_figures->readParameters();
    Q_EMIT changed();
    Q_EMIT chosen();
}

std::vector<RunRow> RunGrouper::arrange(std::vector<RunRow> rows,
                                        const std::function<bool(const RunRow&)>& passes) const
{
    return inGroups(std::move(rows), m_grouping, m_figures->parameters(), m_collapsed, passes);
}

void RunGrouper::setCollapsed(const QString& head, bool collapsed)
{
    if (collapsed ? !m_collapsed.insert(head).second : m_collapsed.erase(head) == 0)
        return;
    Q_EMIT changed();
    Q_EMIT chosen();
}

void RunGrouper::setAllCollapsed(const QStringList& heads)
{
    m_collapsed = std::set<QString>(heads.begin(), heads.end());
    Q_EMIT changed();
    Q_EMIT chosen();
}

QAction* RunGrouper::addChoice(QMenu* menu, const QString& text, const RunGrouping& grouping)
{
    QAction* action = menu->addAction(text, this, [this, grouping] { group(grouping); });
    action->setCheckable(true);
    action->setChecked(grouping == m_grouping);
    return action;
}

void RunGrouper::fillMenu(QMenu* menu)
{
    empty(menu);
    for (const auto& [by, text] : runGroupings())
        addChoice(menu, text, {by, {}});
    menu->addSeparator();
    auto* parameters = menu->addMenu(tr("A pa&rameter that differs"));
    fillParameters(parameters);
    connect(m_figures, &RunFigureStore::parametersRead, parameters,
            [this, parameters] { fillParameters(parameters); });
    m_figures->readParameters();
}

void RunGrouper::fillParameters(QMenu* menu)
{
    empty(menu);
    const auto keys = differingParameters(m_figures->parameters());
    if (keys.empty()) {
        menu->addAction(m_figures->readingParameters() ? tr("Reading the parameters…")
                                                       : tr("No parameter differs between the runs"))
            ->setEnabled(false);
        return;
    }
    std::map<QString, QMenu*> menus;
    for (const std::string& key : keys) {
        const QString text = toQString(key);
        QMenu* to = menu;
        if (keys.size() > longestMenu) {
            const bool split = text.contains(QLatin1Char('.'));
            const QString first = split ? text.section(QLatin1Char('.'), 0, 0) : tr("General");
            QMenu*& own = menus[first];
            own = own ? own : menu->addMenu(first);
            to = own;
        }
        addChoice(to, text, {RunGrouping::By::Parameter, key});
    }
}

QStringList RunGrouper::state() const
{
    QStringList lines;
    if (m_grouping.active())
        lines.append(QStringLiteral("@group=%1").arg(m_grouping.text()));
    // Of other ways to group, too: who comes back finds them as they were.
    for (const QString& head : m_collapsed)
        lines.append(QStringLiteral("@collapsed=%1").arg(head));
    return lines;
}

void RunGrouper::setState(const QStringList& lines)
{
    m_grouping = {};
    m_collapsed.clear();
    for (const QString& line : lines) {
        const QString value = line.section(QLatin1Char('='), 1);
        if (line.startsWith(QLatin1String("@group=")))
            m_grouping = RunGrouping::fromText(value);
        else if (line.startsWith(QLatin1String("@collapsed=")))
            m_collapsed.insert(value);
    }
    if (m_grouping.by == RunGrouping::By::Parameter)
        m_figures->readParameters();
    Q_EMIT changed();
}

} // namespace sparserl
