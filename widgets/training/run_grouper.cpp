// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_grouper.h"

#include "widgets/common/format.h"

#include <QMenu>
#include <algorithm>

namespace sparserl {

namespace {

/// So that no other question waits long for the query thread.
constexpr std::size_t readAtOnce = 100;
/// More than so many stand in a menu of their own for each first word.
constexpr std::size_t longestMenu = 16;

// QMenu::clear() leaves the menus inside it alive.
void empty(QMenu* menu)
{
    menu->clear();
    qDeleteAll(menu->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
}

using ReadValues = std::vector<std::pair<RunId, std::shared_ptr<const std::map<std::string, std::string>>>>;

} // namespace

void RunGrouper::setSession(ProjectSession* session)
{
    m_jobs.cancel();
    m_session = session;
    m_grouping = {};
    m_collapsed.clear();
    m_runs.clear();
    m_values.clear();
    m_wanted = false;
}

void RunGrouper::group(const RunGrouping& grouping)
{
    if (grouping == m_grouping)
        return;
    m_grouping = grouping;
    if (grouping.by == RunGrouping::By::Parameter)
        readParameters();
    Q_EMIT changed();
    Q_EMIT chosen();
}

void RunGrouper::setRuns(const std::vector<RunRow>& runs)
{
    m_runs.clear();
    for (const RunRow& run : runs)
        m_runs.push_back(run.id);
    if (m_wanted || m_grouping.by == RunGrouping::By::Parameter)
        readParameters();
}

std::vector<RunRow> RunGrouper::arrange(std::vector<RunRow> rows,
                                        const std::function<bool(const RunSummary&)>& passes) const
{
    return inGroups(std::move(rows), m_grouping, m_values, m_collapsed, passes);
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

void RunGrouper::readParameters()
{
    m_wanted = true;
    if (!m_session || m_jobs.running())
        return;
    std::vector<RunId> missing;
    for (const RunId run : m_runs)
        if (!m_values.contains(run) && missing.size() < readAtOnce)
            missing.push_back(run);
    if (missing.empty())
        return;
    m_session->query<ReadValues>(
        m_jobs,
        [missing](ProjectReader& reader) -> Result<ReadValues> {
            ReadValues read;
            for (const RunId run : missing) {
                std::map<std::string, std::string> values;
                // A run.toml that is damaged is told of where that run is opened; here it has no values.
                if (const auto config = reader.runConfig(run))
                    for (const auto& [key, value] : config->parameters)
                        values[key] = toText(value);
                read.emplace_back(
                    run, std::make_shared<const std::map<std::string, std::string>>(std::move(values)));
            }
            return read;
        },
        [this](Result<ReadValues> read) {
            if (!read) {
                Q_EMIT problem(sentenceOf(read.error()));
                return;
            }
            for (auto& [run, values] : *read)
                m_values[run] = std::move(values);
            const bool all = std::all_of(m_runs.begin(), m_runs.end(),
                                         [this](RunId run) { return m_values.contains(run); });
            if (!all) {
                readParameters();
                return;
            }
            if (m_grouping.by == RunGrouping::By::Parameter)
                Q_EMIT changed();
            Q_EMIT parametersRead();
        });
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
    connect(this, &RunGrouper::parametersRead, parameters,
            [this, parameters] { fillParameters(parameters); });
    readParameters();
}

void RunGrouper::fillParameters(QMenu* menu)
{
    empty(menu);
    const auto keys = differingParameters(m_values);
    if (keys.empty()) {
        const bool reading = m_session && m_values.size() < m_runs.size();
        menu->addAction(reading ? tr("Reading the parameters…") : tr("No parameter differs between the runs"))
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
        readParameters();
    Q_EMIT changed();
}

} // namespace sparserl
