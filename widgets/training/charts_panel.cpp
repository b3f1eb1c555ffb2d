// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/charts_panel.h"

#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/training/metric_tree.h"
#include "widgets/training/run_model.h"
#include "widgets/training/run_readout.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

const std::string trainSplit = "train";

QString markText(const ControlEvent& event)
{
    if (event.command == "set")
        return QStringLiteral("%1 = %2").arg(toQString(event.key), toQString(event.value));
    return toQString(event.command);
}

QString splitText(const std::string& split)
{
    return split == trainSplit ? ChartsPanel::tr("train") : ChartsPanel::tr("held-out");
}

} // namespace

ChartsPanel::ChartsPanel(QWidget* parent)
    : QWidget(parent)
    , m_across(new QSplitter(Qt::Horizontal, this))
    , m_down(new QSplitter(Qt::Vertical, this))
    , m_axis(new QComboBox(this))
    , m_smoothing(new QComboBox(this))
    , m_baseline(new QComboBox(this))
    , m_baselineBox(new QWidget(this))
    , m_metrics(
          makeToolButton(QStringLiteral("plus"), tr("Metrics"), tr("Choose further metrics to chart"), this))
    , m_tree(new MetricTree(this))
    , m_readout(new RunReadout(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(makeBar());

    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto* inner = new QWidget(area);
    inner->setProperty("plain", true);
    m_grid = new QGridLayout(inner);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(10);
    area->setWidget(inner);
    m_tree->setMinimumWidth(150);
    m_tree->hide();
    for (QSplitter* splitter : {m_across, m_down}) {
        splitter->setHandleWidth(8);
        splitter->setChildrenCollapsible(false);
    }
    m_across->setObjectName(QStringLiteral("training.metrics"));
    m_across->addWidget(area);
    m_across->addWidget(m_tree);
    m_across->setStretchFactor(0, 1);
    m_across->setSizes({700, 240});
    m_down->setObjectName(QStringLiteral("training.readout"));
    m_down->addWidget(m_across);
    m_down->addWidget(m_readout);
    m_down->setStretchFactor(0, 1);
    m_readout->hide();
    layout->addWidget(m_down, 1);

    connect(m_tree, &MetricTree::toggled, this,
            [this](const QString& metric, bool on) { setExtraMetric(metric.toStdString(), on); });
    rebuild();
}

QWidget* ChartsPanel::makeBar()
{
    auto* widget = new QWidget(this);
    auto* bar = new QHBoxLayout(widget);
    bar->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](const QString& text, QComboBox* box, const QString& tip) {
        auto* label = makeMuted(text, widget);
        label->setBuddy(box);
        bar->addWidget(label);
        bar->addWidget(box);
        QString name = text;
        box->setAccessibleName(name.remove(QLatin1Char('&')));
        box->setToolTip(tip);
    };
    bar->addStretch();
    auto* across = new QHBoxLayout(m_baselineBox);
    across->setContentsMargins(0, 0, 0, 0);
    auto* label = makeMuted(tr("&Baseline"), m_baselineBox);
    label->setBuddy(m_baseline);
    across->addWidget(label);
    across->addWidget(m_baseline);
    m_baseline->setAccessibleName(tr("Baseline"));
    m_baseline->setToolTip(tr("The readout shows the difference of the other runs to this one."));
    m_baseline->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_baseline->setMinimumContentsLength(10);
    m_baselineBox->hide();
    bar->addWidget(m_baselineBox);
    m_axis->addItem(tr("step"), static_cast<int>(RunCurves::Axis::Step));
    m_axis->addItem(tr("time"), static_cast<int>(RunCurves::Axis::Time));
    add(tr("O&ver"), m_axis, tr("Draws the curves over the step or over the time since the run was made."));
    for (const auto& [name, weight] :
         {std::pair{tr("none"), 0.0}, {tr("light"), 0.6}, {tr("medium"), 0.85}, {tr("strong"), 0.96}})
        m_smoothing->addItem(name, weight);
    add(tr("S&moothing"), m_smoothing,
        tr("Draws a moving average of all values; the measured curve stays visible behind it."));
    m_metrics->setCheckable(true);
    bar->addWidget(m_metrics);
    connect(m_metrics, &QToolButton::toggled, this, [this](bool on) {
        m_tree->setVisible(on);
        if (on)
            m_tree->focusFilter();
    });
    connect(m_smoothing, &QComboBox::currentIndexChanged, this, [this] {
        m_curves.setSmoothing(m_smoothing->currentData().toDouble());
        show();
    });
    connect(m_axis, &QComboBox::currentIndexChanged, this, [this] {
        setRuns(std::vector<RunSummary>(m_curves.runs()));
        reset();
        show(); // empty until the answer comes: steps on an axis of time would be a lie
    });
    connect(m_baseline, &QComboBox::currentIndexChanged, this, [this] { show(); });
    return widget;
}

void ChartsPanel::setSession(ProjectSession* session)
{
    m_session = session;
    m_jobs.cancel();
    m_curves = RunCurves();
    m_curves.setSmoothing(m_smoothing->currentData().toDouble());
    m_extra.clear();
    rebuild();
    show();
}

std::vector<MetricPanel> ChartsPanel::panels() const
{
    const auto& runs = m_curves.runs();
    std::vector<MetricPanel> all = defaultPanels(runs.empty() ? "rl" : runs.front().stage);
    for (const std::string& metric : m_extra)
        all.push_back(panelFor(metric));
    return all;
}

void ChartsPanel::setRuns(const std::vector<RunSummary>& runs)
{
    const auto& old = m_curves.runs();
    const bool same = std::equal(runs.begin(), runs.end(), old.begin(), old.end(),
                                 [](const RunSummary& a, const RunSummary& b) { return a.id == b.id; });
    const bool sameStage = !runs.empty() && !old.empty() && runs.front().stage == old.front().stage;
    const auto axis = static_cast<RunCurves::Axis>(m_axis->currentData().toInt());
    const bool sameAxis = axis == m_curves.axis();
    m_curves.setRuns(runs, axis);
    if (!same || !sameAxis) {
        m_jobs.cancel();
        m_again = false;
    }
    if (!same) {
        {
            const QSignalBlocker blocker(m_baseline);
            const QVariant kept = m_baseline->currentData();
            m_baseline->clear();
            m_baseline->addItem(tr("none"), QVariant());
            for (const RunSummary& run : runs)
                m_baseline->addItem(runLabel(run), static_cast<qlonglong>(run.id));
            m_baseline->setCurrentIndex(kept.isValid() ? std::max(0, m_baseline->findData(kept)) : 0);
        }
        m_baselineBox->setVisible(runs.size() > 1);
        m_readout->setVisible(runs.size() > 1);
        if (!sameStage)
            rebuild();
        reset();
        show();
    }
    refresh();
}

// Back to everything, on all charts.
void ChartsPanel::reset()
{
    const QScopedValueRollback following(m_following, true);
    for (ChartWidget* chart : m_charts)
        chart->showAll();
}

void ChartsPanel::setAxis(RunCurves::Axis axis)
{
    m_axis->setCurrentIndex(m_axis->findData(static_cast<int>(axis)));
}

void ChartsPanel::setSmoothing(double weight)
{
    m_smoothing->setCurrentIndex(std::max(0, m_smoothing->findData(weight)));
}

void ChartsPanel::setBaseline(int run)
{
    m_baseline->setCurrentIndex(run + 1);
}

int ChartsPanel::baseline() const
{
    return m_curves.runs().size() > 1 ? m_baseline->currentIndex() - 1 : -1;
}

void ChartsPanel::setExtraMetric(const std::string& metric, bool shown)
{
    const auto it = std::find(m_extra.begin(), m_extra.end(), metric);
    if (shown == (it != m_extra.end()))
        return;
    if (shown)
        m_extra.push_back(metric);
    else
        m_extra.erase(it);
    rebuild();
    show();
    refresh();
    Q_EMIT choiceChanged();
}

QStringList ChartsPanel::chosenMetrics() const
{
    QStringList list;
    for (const std::string& metric : m_extra)
        list.append(toQString(metric));
    return list;
}

void ChartsPanel::setChosenMetrics(const QStringList& metrics)
{
    m_extra.clear();
    for (const QString& metric : metrics)
        m_extra.push_back(metric.toStdString());
    rebuild();
    show();
    refresh();
}

void ChartsPanel::link(ChartWidget* chart)
{
    // What one chart does, all do; what they do then is no news.
    const auto others = [this, chart](auto&& act) {
        if (m_following)
            return;
        const QScopedValueRollback following(m_following, true);
        for (ChartWidget* other : m_charts)
            if (other != chart)
                act(other);
    };
    connect(chart, &ChartWidget::xRangeChanged, this, [others](double low, double high) {
        others([&](ChartWidget* other) { other->followX(low, high); });
    });
    connect(chart, &ChartWidget::rangeReset, this,
            [others] { others([](ChartWidget* other) { other->showAll(); }); });
    connect(chart, &ChartWidget::cursorMoved, this, [this, others](double x) {
        others([&](ChartWidget* other) { other->followCursor(x); });
        moveCursor(x);
    });
}

void ChartsPanel::rebuild()
{
    const std::vector<MetricPanel> wanted = panels();
    std::set<std::string> metrics;
    for (const MetricPanel& panel : wanted)
        metrics.insert(panel.metrics.begin(), panel.metrics.end());
    m_curves.setMetrics(metrics);
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
        link(chart);
    }
}

void ChartsPanel::refresh()
{
    if (!m_session || m_curves.runs().empty())
        return;
    if (m_jobs.running()) { // never start over before an answer came: a busy run would starve the charts
        m_again = true;
        return;
    }
    m_session->query<CurvesAnswer>(
        m_jobs,
        [question = m_curves.question()](ProjectReader& reader) { return readCurves(reader, question); },
        [this](Result<CurvesAnswer> answer) {
            bool again = std::exchange(m_again, false);
            if (answer) {
                again = again || answer->more;
                m_readings += answer->chunks.empty() ? 0 : 1;
                if (m_curves.apply(std::move(*answer)))
                    show();
            } else {
                Q_EMIT problem(sentenceOf(answer.error()));
            }
            if (again)
                refresh();
        });
}

std::vector<std::string> ChartsPanel::splitsOf(const std::string& metric) const
{
    std::vector<std::string> splits;
    for (const auto& [name, split] : m_curves.names())
        if (name == metric)
            splits.push_back(split);
    // Held-out lies over train.
    std::stable_sort(splits.begin(), splits.end(), [](const std::string& a, const std::string& b) {
        return (a == trainSplit) > (b == trainSplit);
    });
    return splits;
}

ChartSeries ChartsPanel::seriesFor(const MetricPanel& panel, std::size_t metric, std::size_t run,
                                   const std::string& split, bool several) const
{
    const auto& runs = m_curves.runs();
    ChartSeries series;
    QStringList parts;
    if (runs.size() > 1)
        parts.append(runLabel(runs[run]));
    if (several)
        parts.append(toQString(panel.metrics[metric]));
    if (split != trainSplit || parts.isEmpty()) // what nothing else is said of is of training
        parts.append(splitText(split));
    series.name = parts.join(QStringLiteral(" · "));
    const auto order = static_cast<int>(metric);
    const bool held = split != trainSplit;
    // One run: colour tells metric and split apart. Several: colour is the run, dashes are the split.
    series.colour = runs.size() > 1 ? static_cast<int>(run) : order * 2 + (held ? 1 : 0);
    series.dash = (held ? 1 : 0) + (runs.size() > 1 && order > 0 ? 2 : 0);
    series.strong = static_cast<int>(run) == baseline();
    series.rightAxis = panel.twoAxes && several && metric + 1 == panel.metrics.size();
    return series;
}

ChartData ChartsPanel::chartFor(const MetricPanel& panel) const
{
    const auto& runs = m_curves.runs();
    const bool time = m_curves.axis() == RunCurves::Axis::Time;
    ChartData chart;
    chart.title = panel.title;
    chart.hint = panel.hint;
    chart.xLabel = time ? tr("time since the start") : tr("step");
    chart.x = time ? ChartX::Seconds : ChartX::Whole;
    chart.zeroBased = panel.zeroBased;
    chart.emptyText = runs.empty()               ? tr("Select a run to see its course.")
                      : m_curves.names().empty() ? tr("Reading the project…")
                                                 : panel.missing;
    const auto has = [&](const std::string& metric) {
        const auto splits = splitsOf(metric);
        return std::any_of(splits.begin(), splits.end(), [&](const std::string& split) {
            return std::any_of(runs.begin(), runs.end(), [&](const RunSummary& run) {
                return m_curves.find({run.id, metric, split}) != nullptr;
            });
        });
    };
    const bool several = std::count_if(panel.metrics.begin(), panel.metrics.end(), has) > 1;
    if (several && panel.twoAxes) {
        chart.leftLabel = toQString(panel.metrics[0]);
        chart.rightLabel = toQString(panel.metrics.back());
    }
    for (std::size_t metric = 0; metric < panel.metrics.size(); ++metric) {
        for (const std::string& split : splitsOf(panel.metrics[metric])) {
            for (std::size_t run = 0; run < runs.size(); ++run) {
                auto curve = m_curves.find({runs[run].id, panel.metrics[metric], split});
                if (!curve)
                    continue;
                chart.series.append(seriesFor(panel, metric, run, split, several));
                chart.series.last().curve = std::move(curve);
            }
        }
    }
    for (const ControlMark& mark : m_curves.marks())
        if (mark.event.outcome == "applied" && !runs.empty())
            chart.marks.append({time ? mark.t - runs.front().created : static_cast<double>(mark.step),
                                markText(mark.event)});
    return chart;
}

void ChartsPanel::show()
{
    const std::vector<MetricPanel> wanted = panels();
    for (std::size_t i = 0; i < m_charts.size() && i < wanted.size(); ++i) {
        m_charts[i]->setReadoutBox(m_curves.runs().size() < 2); // several runs have one readout for all
        m_charts[i]->setData(chartFor(wanted[i]));
    }
    showReadout();
    showTree();
}

void ChartsPanel::showReadout()
{
    const auto& runs = m_curves.runs();
    if (runs.size() < 2)
        return;
    QStringList names;
    std::vector<int> colours;
    for (const RunSummary& run : runs) {
        colours.push_back(static_cast<int>(names.size()));
        names.append(runLabel(run));
    }
    std::vector<ReadoutRow> rows;
    for (const MetricPanel& panel : panels()) {
        for (const std::string& metric : panel.metrics) {
            for (const std::string& split : splitsOf(metric)) {
                ReadoutRow row;
                row.metric = toQString(metric) + QStringLiteral(" · ") + splitText(split);
                bool any = false;
                for (const RunSummary& run : runs) {
                    row.curves.push_back(m_curves.find({run.id, metric, split}));
                    any = any || row.curves.back();
                }
                if (any)
                    rows.push_back(std::move(row));
            }
        }
    }
    m_readout->setRuns(names, colours, baseline() >= 0 ? std::optional(baseline()) : std::nullopt);
    m_readout->setRows(std::move(rows));
}

void ChartsPanel::showTree()
{
    std::set<std::string> always;
    const auto& runs = m_curves.runs();
    for (const MetricPanel& panel : defaultPanels(runs.empty() ? "rl" : runs.front().stage))
        always.insert(panel.metrics.begin(), panel.metrics.end());
    std::vector<std::string> names;
    for (const auto& [name, split] : m_curves.names())
        if (names.empty() || names.back() != name)
            names.push_back(name);
    // What was chosen can be unticked, whether this run reports it or not.
    for (const std::string& name : m_extra)
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    m_tree->setMetrics(names, always, std::set<std::string>(m_extra.begin(), m_extra.end()));
}

void ChartsPanel::moveCursor(double x)
{
    if (m_curves.runs().size() < 2)
        return;
    const ChartData& chart = m_charts.front()->data();
    m_readout->setCursor(x, std::isfinite(x) ? xText(chart, chart.x == ChartX::Whole ? std::round(x) : x)
                                             : QString());
}

} // namespace sparserl
