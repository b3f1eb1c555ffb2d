// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/charts_panel.h"

#include "project/metrics.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/training/run_model.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sparserl {

namespace {

constexpr std::size_t buckets = 300; // a chart is rarely wider than twice that in device pixels

QString markText(const ControlEvent& event)
{
    if (event.command == "set")
        return QStringLiteral("%1 = %2").arg(toQString(event.key), toQString(event.value));
    return toQString(event.command);
}

} // namespace

ChartsPanel::ChartsPanel(QWidget* parent)
    : QWidget(parent)
    , m_smoothing(new QComboBox(this))
    , m_add(
          makeToolButton(QStringLiteral("plus"), tr("Metrics"), tr("Choose further metrics to chart"), this))
    , m_metrics(new QMenu(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* bar = new QHBoxLayout;
    bar->addStretch();
    bar->addWidget(makeMuted(tr("Smoothing"), this));
    for (const auto& [name, weight] :
         {std::pair{tr("none"), 0.0}, {tr("light"), 0.6}, {tr("medium"), 0.85}, {tr("strong"), 0.96}})
        m_smoothing->addItem(name, weight);
    m_smoothing->setAccessibleName(tr("Smoothing"));
    m_smoothing->setToolTip(tr("Draws a moving average; the measured curve stays visible behind it."));
    bar->addWidget(m_smoothing);
    m_add->setMenu(m_metrics);
    m_add->setPopupMode(QToolButton::InstantPopup);
    bar->addWidget(m_add);
    layout->addLayout(bar);

    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto* inner = new QWidget(area);
    inner->setProperty("plain", true);
    m_grid = new QGridLayout(inner);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(10);
    area->setWidget(inner);
    layout->addWidget(area, 1);
    connect(m_smoothing, &QComboBox::currentIndexChanged, this, &ChartsPanel::refresh);
    m_metrics->setToolTipsVisible(true);
    connect(m_metrics, &QMenu::aboutToShow, this, &ChartsPanel::fillMetricMenu);
    rebuild();
}

void ChartsPanel::setSession(ProjectSession* session)
{
    m_session = session;
    m_jobs.cancel();
    m_runs.clear();
    m_extra.clear();
    rebuild();
}

std::vector<MetricPanel> ChartsPanel::panels() const
{
    std::vector<MetricPanel> all = defaultPanels(m_runs.empty() ? "rl" : m_runs.front().stage);
    for (const std::string& metric : m_extra)
        all.push_back(panelFor(metric));
    return all;
}

void ChartsPanel::setRuns(const std::vector<RunSummary>& runs)
{
    const bool same = std::equal(runs.begin(), runs.end(), m_runs.begin(), m_runs.end(),
                                 [](const RunSummary& a, const RunSummary& b) { return a.id == b.id; });
    const bool sameStage = !runs.empty() && !m_runs.empty() && runs.front().stage == m_runs.front().stage;
    m_runs = runs;
    if (!same) {
        m_from = INT64_MIN;
        m_to = INT64_MAX;
        m_jobs.cancel();
        if (!sameStage)
            rebuild();
        for (ChartWidget* chart : m_charts)
            chart->showAll();
    }
    refresh();
}

void ChartsPanel::setExtraMetric(const std::string& metric, bool shown)
{
    const auto it = std::find(m_extra.begin(), m_extra.end(), metric);
    if (shown && it == m_extra.end())
        m_extra.push_back(metric);
    else if (!shown && it != m_extra.end())
        m_extra.erase(it);
    rebuild();
    refresh();
}

void ChartsPanel::fillMetricMenu()
{
    m_metrics->clear();
    for (const std::string& name : m_names) {
        QAction* action = m_metrics->addAction(toQString(name));
        if (const MetricDescription* description = findMetric(name))
            action->setToolTip(toQString(std::string(description->help)));
        action->setCheckable(true);
        action->setChecked(std::find(m_extra.begin(), m_extra.end(), name) != m_extra.end());
        connect(action, &QAction::toggled, this, [this, name](bool on) { setExtraMetric(name, on); });
    }
    if (m_names.empty())
        m_metrics->addAction(tr("The selected run has no metrics yet"))->setEnabled(false);
}

void ChartsPanel::rebuild()
{
    m_stamp.clear(); // The charts are empty afterwards.
    const std::vector<MetricPanel> wanted = panels();
    while (m_charts.size() > wanted.size()) {
        delete m_charts.back();
        m_charts.pop_back();
    }
    while (m_charts.size() < wanted.size()) {
        auto* chart = new ChartWidget(this);
        chart->setMinimumHeight(190);
        const int index = static_cast<int>(m_charts.size());
        m_grid->addWidget(chart, index / 2, index % 2);
        m_charts.push_back(chart);
        connect(chart, &ChartWidget::xRangeChanged, this, [this, chart](double low, double high) {
            m_from = static_cast<std::int64_t>(std::floor(low));
            m_to = static_cast<std::int64_t>(std::ceil(high));
            for (ChartWidget* other : m_charts)
                if (other != chart)
                    other->followX(low, high);
            refresh();
        });
        connect(chart, &ChartWidget::cursorMoved, this, [this, chart](double x) {
            for (ChartWidget* other : m_charts)
                if (other != chart)
                    other->followCursor(x);
        });
        connect(chart, &ChartWidget::rangeReset, this, [this, chart] {
            if (m_from == INT64_MIN)
                return;
            m_from = INT64_MIN;
            m_to = INT64_MAX;
            for (ChartWidget* other : m_charts)
                if (other != chart)
                    other->showAll();
            refresh();
        });
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        ChartData chart;
        chart.title = wanted[i].title;
        chart.yLabel = wanted[i].hint;
        chart.emptyText = m_runs.empty() ? tr("Select a run to see its course.") : wanted[i].missing;
        m_charts[i]->setData(chart);
    }
}

void ChartsPanel::setSmoothing(double weight)
{
    m_smoothing->setCurrentIndex(std::max(0, m_smoothing->findData(weight)));
}

void ChartsPanel::refresh()
{
    if (!m_session || m_runs.empty())
        return;
    if (m_jobs.running()) { // never start over before an answer came: a busy run would starve the charts
        m_again = true;
        return;
    }
    const std::vector<MetricPanel> wanted = panels();
    std::vector<RunId> ids;
    std::string generations; // A resume may bring other values in the same number of points.
    for (const RunSummary& run : m_runs) {
        ids.push_back(run.id);
        generations += fmt::format(" {}", run.generation);
    }
    const std::int64_t from = m_from, to = m_to;
    const double smoothing = m_smoothing->currentData().toDouble();
    m_session->query<ChartsAnswer>(
        m_jobs,
        [wanted, ids, from, to, smoothing, generations,
         known = m_stamp](ProjectReader& reader) -> Result<ChartsAnswer> {
            ChartsAnswer answer;
            std::vector<std::vector<MetricName>> available;
            answer.stamp = fmt::format("{} {} {}{}", from, to, smoothing, generations);
            for (const MetricPanel& panel : wanted)
                answer.stamp += fmt::format(" {}", fmt::join(panel.metrics, ","));
            for (const RunId id : ids) {
                SPARSERL_TRY(auto metrics, reader.metricNames(id));
                answer.stamp += fmt::format(" run {}", id);
                for (const MetricName& metric : metrics)
                    answer.stamp += fmt::format(" {}/{}:{}", metric.name, metric.split, metric.points);
                available.push_back(std::move(metrics));
            }
            SPARSERL_TRY(auto marks, reader.controlMarks(ids.front()));
            answer.stamp += fmt::format(" {}", marks.size());
            if ((answer.unchanged = answer.stamp == known))
                return answer;
            answer.marks = std::move(marks);
            answer.panels.resize(wanted.size());
            std::set<std::string> names;
            for (std::size_t run = 0; run < ids.size(); ++run) {
                for (const MetricName& metric : available[run]) {
                    names.insert(metric.name);
                    for (std::size_t p = 0; p < wanted.size(); ++p) {
                        const auto& list = wanted[p].metrics;
                        if (std::find(list.begin(), list.end(), metric.name) == list.end())
                            continue;
                        auto series =
                            reader.series(ids[run], metric.name, metric.split, buckets, from, to, smoothing);
                        if (!series)
                            return fail(series.error());
                        answer.panels[p].push_back({run, std::move(*series)});
                    }
                }
            }
            answer.names.assign(names.begin(), names.end());
            return answer;
        },
        [this](Result<ChartsAnswer> answer) {
            if (answer && !answer->unchanged)
                show(std::move(*answer));
            else if (!answer)
                Q_EMIT problem(sentenceOf(answer.error()));
            if (std::exchange(m_again, false))
                refresh();
        });
}

ChartData ChartsPanel::chartFor(std::size_t index, const ChartsAnswer& answer) const
{
    const MetricPanel panel = panels()[index];
    ChartData chart;
    chart.title = panel.title;
    chart.yLabel = panel.hint;
    chart.xLabel = tr("step");
    chart.zeroBased = panel.zeroBased;
    chart.emptyText = panel.missing;
    std::vector<ChartsAnswer::Curve> curves = answer.panels[index];
    std::stable_sort(curves.begin(), curves.end(), [](const auto& a, const auto& b) {
        return (a.series.split == "train") > (b.series.split == "train"); // held-out lies over train
    });
    std::set<std::string> metricsShown;
    for (const auto& curve : answer.panels[index])
        metricsShown.insert(curve.series.name);
    for (const auto& curve : curves) {
        ChartSeries series;
        QStringList parts;
        if (m_runs.size() > 1)
            parts.append(runLabel(m_runs[curve.run]));
        if (metricsShown.size() > 1)
            parts.append(toQString(curve.series.name));
        parts.append(curve.series.split == "train" ? tr("train") : tr("held-out"));
        series.name = parts.join(QStringLiteral(" · "));
        series.dash = curve.series.split == "train" ? 0 : 1;
        const auto metric = std::find(panel.metrics.begin(), panel.metrics.end(), curve.series.name);
        const auto order = static_cast<int>(metric - panel.metrics.begin());
        // One run: colour tells metric and split apart. Several: colour is the run, dashes are the split.
        series.colour = m_runs.size() > 1 ? static_cast<int>(curve.run) : order * 2 + (series.dash ? 1 : 0);
        if (m_runs.size() > 1 && order > 0)
            series.dash += 2;
        series.total = curve.series.total;
        for (const SeriesPoint& p : curve.series.points)
            series.points.append({static_cast<double>(p.step), p.value});
        if (!curve.series.average.empty() && series.points.size() > 2) {
            ChartSeries raw = series;
            raw.opacity = 0.28;
            raw.total = 0;
            chart.series.append(raw);
            series.points.clear();
            for (const SeriesPoint& p : curve.series.average)
                series.points.append({static_cast<double>(p.step), p.value});
        }
        chart.series.append(series);
    }
    for (const ControlMark& mark : answer.marks)
        if (mark.event.outcome == "applied")
            chart.marks.append({static_cast<double>(mark.step), markText(mark.event)});
    return chart;
}

void ChartsPanel::show(ChartsAnswer answer)
{
    m_names = answer.names;
    m_stamp = answer.stamp;
    ++m_readings;
    for (std::size_t i = 0; i < m_charts.size() && i < answer.panels.size(); ++i)
        m_charts[i]->setData(chartFor(i, answer));
}

} // namespace sparserl
