// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/charts_panel.h"

#include "widgets/common/chart_widget.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/training/metric_tree.h"
#include "widgets/training/run_charts.h"
#include "widgets/training/run_model.h"
#include "widgets/training/run_readout.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr int narrowestChart = 330, lowestChart = 200, mostColumns = 3;
constexpr double mostSmoothing = 0.999;
constexpr int narrowestInLines = 20, lowestInLines = 13; ///< The same in heights of a line of text.

} // namespace

ChartsPanel::ChartsPanel(QWidget* parent)
    : QWidget(parent)
    , m_across(new QSplitter(Qt::Horizontal, this))
    , m_down(new QSplitter(Qt::Vertical, this))
    , m_axis(new QComboBox(this))
    , m_smoothing(new QDoubleSpinBox(this))
    , m_baseline(new QComboBox(this))
    , m_baselineBox(new QWidget(this))
    , m_metrics(makeToolButton(QStringLiteral("metrics"), tr("Metrics"),
                               tr("Choose further metrics to chart"), this))
    , m_link(makeToolButton(QStringLiteral("link"), {}, tr("Zoom and move the x axes of all charts together"),
                            this))
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
    m_down->setSizes({700, 150});
    m_readout->hide();
    layout->addWidget(m_down, 1);

    connect(m_across, &QSplitter::splitterMoved, this, &ChartsPanel::layOut);
    connect(m_tree, &MetricTree::toggled, this,
            [this](const QString& metric, bool on) { setMetricShown(metric.toStdString(), on); });
    rebuild();
}

QWidget* ChartsPanel::makeBar()
{
    auto* widget = new QWidget(this);
    auto* bar = new FlowLayout(widget, 6, Qt::AlignRight); // large text takes more than one line
    const auto add = [&](const QString& text, QWidget* box, const QString& tip, QWidget* pair) {
        auto* across = new QHBoxLayout(pair);
        across->setContentsMargins(0, 0, 0, 0);
        auto* label = makeMuted(text, pair);
        label->setBuddy(box);
        across->addWidget(label);
        across->addWidget(box);
        bar->addWidget(pair);
        QString name = text;
        box->setAccessibleName(name.remove(QLatin1Char('&')));
        box->setToolTip(tip);
    };
    add(tr("&Baseline"), m_baseline, tr("The readout shows how the other runs differ from this one."),
        m_baselineBox);
    m_baseline->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_baseline->setMinimumContentsLength(7);
    m_baselineBox->hide();
    m_axis->addItem(tr("step"), static_cast<int>(RunCurves::Axis::Step));
    m_axis->addItem(tr("time"), static_cast<int>(RunCurves::Axis::Time));
    m_axis->addItem(tr("wall time"), static_cast<int>(RunCurves::Axis::Clock));
    m_axis->addItem(tr("tokens"), static_cast<int>(RunCurves::Axis::Tokens));
    add(tr("&Over"), m_axis,
        tr("Draws the curves over the step, over the time since the run was created, over the time of day, "
           "or over the number of tokens that the run has learned from."),
        new QWidget(widget));
    m_smoothing->setRange(0, mostSmoothing);
    m_smoothing->setDecimals(3);
    m_smoothing->setSingleStep(0.05);
    m_smoothing->setSpecialValueText(tr("none"));
    m_smoothing->setKeyboardTracking(false);
    add(tr("S&moothing"), m_smoothing,
        tr("Draws an exponential moving average; the weight of each value is this share of the weight of "
           "the next value. The measured curve stays visible in the background."),
        new QWidget(widget));
    m_link->setCheckable(true);
    m_link->setChecked(true);
    m_link->setAccessibleName(tr("Link the x axes"));
    bar->addWidget(m_link);
    m_metrics->setCheckable(true);
    bar->addWidget(m_metrics);
    connect(m_metrics, &QToolButton::toggled, this, [this](bool on) {
        m_tree->setVisible(on);
        if (on)
            m_tree->focusFilter();
        QTimer::singleShot(0, this, &ChartsPanel::layOut);
    });
    connect(m_smoothing, &QDoubleSpinBox::valueChanged, this, [this](double weight) {
        m_curves.setSmoothing(weight);
        show();
        Q_EMIT choiceChanged();
    });
    connect(m_link, &QToolButton::toggled, this, &ChartsPanel::choiceChanged);
    connect(m_axis, &QComboBox::currentIndexChanged, this, [this] {
        setRuns(std::vector<RunSummary>(m_curves.runs()), std::vector<RunGroup>(m_groups));
        reset();
        show(); // empty until the answer comes: steps on an axis of time would be a lie
        Q_EMIT choiceChanged();
    });
    connect(m_baseline, &QComboBox::currentIndexChanged, this, [this] {
        const QVariant run = m_baseline->currentData();
        m_baselineRun = run.isValid() ? std::optional<RunId>(run.toLongLong()) : std::nullopt;
        show();
        Q_EMIT baselineChanged(m_baselineRun);
    });
    return widget;
}

void ChartsPanel::setSession(ProjectSession* session)
{
    m_session = session;
    m_jobs.cancel();
    m_curves = RunCurves();
    m_curves.setSmoothing(m_smoothing->value());
    m_extra.clear();
    m_baselineRun.reset();
    m_groups.clear();
    rebuild();
    show();
}

// All that there are; panels() leaves out what is hidden.
std::vector<MetricPanel> ChartsPanel::allPanels() const
{
    const auto& runs = m_curves.runs();
    std::vector<MetricPanel> all = defaultPanels(runs.empty() ? "rl" : runs.front().stage);
    for (const std::string& metric : m_extra)
        all.push_back(panelFor(metric));
    return all;
}

std::vector<MetricPanel> ChartsPanel::panels() const
{
    std::vector<MetricPanel> all = allPanels();
    std::vector<MetricPanel> seen = m_arrangement.arranged(all);
    return seen.empty() ? all : seen; // those of another stage may all be hidden
}

void ChartsPanel::setRuns(const std::vector<RunSummary>& runs, const std::vector<RunGroup>& groups)
{
    const auto& old = m_curves.runs();
    const bool same = groups == m_groups && sameRuns(runs, old);
    const bool sameLook = same && std::equal(runs.begin(), runs.end(), old.begin(),
                                             [](const RunSummary& a, const RunSummary& b) {
                                                 return runColour(a) == runColour(b);
                                             });
    const bool sameStage = !runs.empty() && !old.empty() && runs.front().stage == old.front().stage;
    const auto axis = static_cast<RunCurves::Axis>(m_axis->currentData().toInt());
    const bool sameAxis = axis == m_curves.axis();
    m_curves.setRuns(runs, axis);
    m_groups = groups;
    m_curves.setGroups(groups);
    if (!same || !sameAxis) {
        m_jobs.cancel();
        m_again = false;
    }
    if (same && !sameLook)
        show();
    if (!same) {
        {
            const QSignalBlocker blocker(m_baseline);
            m_baseline->clear();
            m_baseline->addItem(tr("none"), QVariant());
            for (const RunSummary& run : runs)
                m_baseline->addItem(runLabel(run), static_cast<qlonglong>(run.id));
            m_baseline->setCurrentIndex(
                m_baselineRun ? std::max(0, m_baseline->findData(static_cast<qlonglong>(*m_baselineRun)))
                              : 0);
        }
        const bool several = m_curves.subjects().size() > 1;
        m_baselineBox->setVisible(several && groups.empty());
        m_readout->setVisible(several);
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
    m_smoothing->setValue(weight);
}

void ChartsPanel::setBaselineRun(RunId run)
{
    m_baselineRun = run;
    if (const int at = m_baseline->findData(static_cast<qlonglong>(run)); at >= 0)
        m_baseline->setCurrentIndex(at);
    Q_EMIT baselineChanged(m_baselineRun);
}

void ChartsPanel::setBaseline(int run)
{
    m_baseline->setCurrentIndex(run + 1);
}

int ChartsPanel::baseline() const
{
    return m_curves.runs().size() > 1 && m_groups.empty() ? m_baseline->currentIndex() - 1 : -1;
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

QStringList ChartsPanel::look() const
{
    QStringList lines{QStringLiteral("@over=%1").arg(m_axis->currentData().toInt()),
                      QStringLiteral("@smoothing=%1").arg(m_smoothing->value())};
    if (!m_link->isChecked())
        lines.append(QStringLiteral("@linked=0"));
    return lines + m_arrangement.lines();
}

void ChartsPanel::setLook(const QStringList& lines)
{
    int axis = 0;
    double smoothing = 0;
    for (const QString& line : lines) {
        const QString value = line.section(QLatin1Char('='), 1);
        if (line.startsWith(QLatin1String("@over=")))
            axis = value.toInt();
        else if (line.startsWith(QLatin1String("@smoothing=")))
            smoothing = value.toDouble();
    }
    m_axis->setCurrentIndex(std::max(0, m_axis->findData(axis)));
    setSmoothing(smoothing);
    m_link->setChecked(!lines.contains(QStringLiteral("@linked=0")));
    m_arrangement = ChartArrangement::fromLines(lines);
    rearrange();
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
    connect(chart, &ChartWidget::xRangeChanged, this, [this, others](double low, double high) {
        if (m_link->isChecked())
            others([&](ChartWidget* other) { other->followX(low, high); });
    });
    connect(chart, &ChartWidget::rangeReset, this, [this, others] {
        if (m_link->isChecked())
            others([](ChartWidget* other) { other->showAll(); });
    });
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
        chart->setMinimumHeight(leastHeight());
        m_charts.push_back(chart);
        link(chart);
        makeMovable(chart);
    }
    m_columns = 0;
    layOut();
}

// As many columns as charts can be read in.
void ChartsPanel::layOut()
{
    const int leastWidth = std::max(narrowestChart, narrowestInLines * fontMetrics().height());
    const auto alone = enlarged();
    const int columns = alone ? 1 : std::clamp(m_across->sizes().value(0) / leastWidth, 1, mostColumns);
    if (columns == m_columns)
        return;
    for (int column = 0; column < mostColumns; ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    m_columns = columns;
    for (std::size_t i = 0; i < m_charts.size(); ++i) {
        m_grid->addWidget(m_charts[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
        m_charts[i]->setVisible(!alone || *alone == i);
    }
}

void ChartsPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showReadout(); // which names the runs in their colours
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        for (ChartWidget* chart : m_charts)
            chart->setMinimumHeight(leastHeight());
        layOut();
    }
}

int ChartsPanel::leastHeight() const
{
    return std::max(lowestChart, lowestInLines * fontMetrics().height());
}

void ChartsPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
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

void ChartsPanel::show()
{
    const std::vector<MetricPanel> wanted = panels();
    for (std::size_t i = 0; i < m_charts.size() && i < wanted.size(); ++i) {
        m_charts[i]->setReadoutBox(m_curves.subjects().size() < 2); // several runs have one readout for all
        m_charts[i]->setData(chartOf(wanted[i], m_curves, baseline()));
    }
    showReadout();
    showTree();
}

void ChartsPanel::showReadout()
{
    const auto runs = m_curves.subjects();
    if (runs.size() < 2)
        return;
    QStringList names;
    std::vector<int> colours;
    for (const CurveSubject& run : runs) {
        colours.push_back(run.colour);
        names.append(toQString(run.label));
    }
    m_readout->setRuns(names, colours, baseline() >= 0 ? std::optional(baseline()) : std::nullopt);
    m_readout->setRows(readoutRows(panels(), m_curves));
}

void ChartsPanel::showTree()
{
    std::set<std::string> shown;
    for (const MetricPanel& panel : panels())
        shown.insert(panel.metrics.begin(), panel.metrics.end());
    std::vector<std::string> names;
    for (const auto& [name, split] : m_curves.names())
        if (names.empty() || names.back() != name)
            names.push_back(name);
    // What was chosen can be unticked, and what is hidden ticked, whether this run reports it or not.
    for (const MetricPanel& panel : allPanels())
        for (const std::string& name : panel.metrics)
            if (std::find(names.begin(), names.end(), name) == names.end() &&
                (m_curves.read() || !shown.contains(name)))
                names.push_back(name);
    m_tree->setMetrics(names, shown);
}

void ChartsPanel::moveCursor(double x)
{
    if (m_curves.subjects().size() < 2)
        return;
    const ChartData& chart = m_charts.front()->data();
    m_readout->setCursor(x, std::isfinite(x) ? xText(chart, chart.x == ChartX::Whole ? std::round(x) : x)
                                             : QString());
}

} // namespace sparserl
