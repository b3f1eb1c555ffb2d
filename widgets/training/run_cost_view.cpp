// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_cost_view.h"

#include "project/run/metrics.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/training/run_model.h"
#include "widgets/training/system_summary.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

namespace {

/// What may take time, in the order in which a step does it.
const std::vector<std::string>& partNames()
{
    static const std::vector<std::string> names{metric::timeSampling,   metric::timeJudging,
                                                metric::timeOldLogProb, metric::timeUpdate,
                                                metric::timeStep,       {},
                                                metric::timeTesting};
    return names;
}

QString textOf(const std::string& part)
{
    if (part.empty())
        return RunCostView::tr("the rest");
    if (part == metric::timeSampling.text)
        return RunCostView::tr("sampling");
    if (part == metric::timeJudging.text)
        return RunCostView::tr("judging");
    if (part == metric::timeOldLogProb.text)
        return RunCostView::tr("preparing");
    if (part == metric::timeUpdate.text)
        return RunCostView::tr("updating");
    if (part == metric::timeTesting.text)
        return RunCostView::tr("evaluating");
    return RunCostView::tr("the step");
}

double secondsOf(const RunCost& cost, const std::string& part)
{
    const auto at = std::find_if(cost.parts.begin(), cost.parts.end(),
                                 [&](const RunCost::Part& p) { return p.metric == part; });
    return at == cost.parts.end() ? qQNaN() : at->seconds;
}

} // namespace

RunCostView::RunCostView(QWidget* parent)
    : QWidget(parent)
    , m_chart(new ChartWidget(this))
    , m_table(new QTableWidget(this))
    , m_machine(makeMuted({}, this))
{
    letShrink(m_machine);
    m_machine->setTextFormat(Qt::PlainText);
    m_machine->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_machine->setAccessibleName(tr("Use of machines by the runs"));
    styleTable(m_table);
    m_table->setAccessibleName(tr("Breakdown of the runs' time"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(m_chart, 3);
    layout->addWidget(m_table, 2);
    layout->addWidget(m_machine);
    clear();
}

void RunCostView::clear()
{
    m_jobs.cancel();
    m_asked.clear();
    fill({}, {});
}

void RunCostView::show(ProjectSession* session, const std::vector<RunSummary>& runs)
{
    std::vector<std::pair<RunId, std::int64_t>> wanted;
    wanted.reserve(runs.size());
    for (const RunSummary& run : runs)
        wanted.emplace_back(run.id, run.step);
    if (wanted == m_asked || m_jobs.running())
        return;
    m_asked = std::move(wanted);
    session->query<std::vector<Known>>(
        m_jobs,
        [runs](ProjectReader& reader) -> Result<std::vector<Known>> {
            std::vector<Known> known;
            for (const RunSummary& run : runs) {
                Known& one = known.emplace_back();
                SPARSERL_TRY(one.cost, readRunCost(reader, run.id));
                SPARSERL_TRY(const auto metrics, reader.latestMetrics(run.id));
                one.system = systemSummary(metrics);
            }
            return known;
        },
        [this, runs](Result<std::vector<Known>> known) {
            if (known)
                fill(runs, *known);
            else
                Q_EMIT problem(sentenceOf(known.error()));
        });
}

/// A line for each run that says something.
void RunCostView::fillMachine(const std::vector<RunSummary>& runs, const std::vector<Known>& known)
{
    QStringList lines;
    for (std::size_t run = 0; run < known.size(); ++run) {
        const QString& text = known[run].system;
        if (!text.isEmpty())
            lines.append(known.size() == 1
                             ? tr("In use on its machine: %1").arg(text)
                             : tr("In use on the machine of %1: %2").arg(runLabel(runs[run]), text));
    }
    m_machine->setText(lines.join(QLatin1Char('\n')));
    m_machine->setVisible(!lines.isEmpty());
}

void RunCostView::fill(const std::vector<RunSummary>& runs, const std::vector<Known>& known)
{
    fillMachine(runs, known);
    std::vector<RunCost> costs;
    costs.reserve(known.size());
    for (const Known& one : known)
        costs.push_back(one.cost);
    std::vector<std::string> parts;
    for (const std::string& part : partNames())
        if (std::any_of(costs.begin(), costs.end(),
                        [&](const RunCost& cost) { return std::isfinite(secondsOf(cost, part)); }))
            parts.push_back(part);
    ChartData chart;
    chart.title = tr("Time of a step");
    chart.hint = tr("seconds, lower is better");
    chart.zeroBased = true;
    const bool ended = std::all_of(runs.begin(), runs.end(), [](const RunSummary& run) {
        return run.status == RunStatus::Done || run.status == RunStatus::Failed;
    });
    chart.emptyText = runs.empty()      ? tr("Select a run to see where its time goes.")
                      : !ended          ? tr("No step has reported its time yet.")
                      : runs.size() > 1 ? tr("These runs did not report the times of their steps.")
                                        : tr("This run did not report the times of its steps.");
    QStringList names;
    for (const std::string& part : parts)
        names.append(textOf(part));
    for (std::size_t run = 0; run < costs.size(); ++run) {
        if (costs[run].steps == 0)
            continue;
        ChartSeries series;
        series.name = runLabel(runs[run]);
        series.kind = ChartKind::Bars;
        series.colour = runColour(runs[run]);
        series.labels = names;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const double seconds = secondsOf(costs[run], parts[part]);
            series.curve->append(static_cast<double>(part),
                                 std::isfinite(seconds) ? seconds / static_cast<double>(costs[run].steps)
                                                        : 0);
        }
        chart.series.append(series);
    }
    m_chart->setData(std::move(chart));

    m_table->clear();
    m_table->setColumnCount(static_cast<int>(parts.size()) + 4);
    m_table->setHorizontalHeaderLabels(QStringList{tr("Run"), tr("Timed steps"), tr("Total"), tr("Per step")}
                                       << names);
    m_table->setRowCount(static_cast<int>(costs.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const RunCost& cost = costs[static_cast<std::size_t>(row)];
        const bool any = cost.steps > 0;
        const double steps = static_cast<double>(std::max<std::int64_t>(1, cost.steps));
        QStringList cells{runLabel(runs[static_cast<std::size_t>(row)]),
                          any ? formatCount(cost.steps) : QStringLiteral("–"),
                          any ? formatDuration(cost.seconds) : QStringLiteral("–"),
                          any ? tr("%1 s").arg(formatNumber(cost.seconds / steps, 3)) : QStringLiteral("–")};
        for (const std::string& part : parts) {
            const double seconds = secondsOf(cost, part);
            cells.append(std::isfinite(seconds) && cost.seconds > 0 ? formatPercent(seconds / cost.seconds)
                                                                    : QStringLiteral("–"));
        }
        for (int column = 0; column < cells.size(); ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            m_table->setItem(row, column, item);
        }
    }
    for (int column = 1; column < m_table->columnCount(); ++column)
        m_table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    // Numbers take what they need, names all that is left.
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setMinimumSectionSize(
        fontMetrics().horizontalAdvance(QStringLiteral("In all 00")));
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
}

} // namespace sparserl
