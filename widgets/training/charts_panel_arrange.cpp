// SPDX-License-Identifier: Apache-2.0
// Charts are enlarged, hidden and put in another order: by their menu, by keys, and by their titles.
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/training/charts_panel.h"

#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

/// Pixels from the corner of a chart to its button: there is none left of the last number of the axis.
constexpr int cornerRoom = 0;

QToolButton* enlargeButton(const ChartWidget* chart)
{
    return chart->findChild<QToolButton*>(QStringLiteral("enlarge"), Qt::FindDirectChildrenOnly);
}

} // namespace

std::optional<std::size_t> ChartsPanel::placeOf(const QObject* chart) const
{
    const auto at = std::find(m_charts.begin(), m_charts.end(), chart);
    return at == m_charts.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(at - m_charts.begin()));
}

std::optional<std::size_t> ChartsPanel::enlarged() const
{
    if (m_enlarged.empty())
        return {};
    const auto shown = panels();
    for (std::size_t i = 0; i < shown.size(); ++i)
        if (ChartArrangement::keyOf(shown[i]) == m_enlarged)
            return i;
    return {}; // the runs that are selected now have no such chart
}

void ChartsPanel::enlarge(const std::optional<std::size_t>& chart)
{
    const auto shown = panels();
    m_enlarged = chart && *chart < shown.size() ? ChartArrangement::keyOf(shown[*chart]) : std::string();
    m_columns = 0;
    layOut();
    const auto alone = enlarged();
    for (ChartWidget* chart : m_charts) {
        QToolButton* button = enlargeButton(chart);
        button->setIcon(themedIcon(alone ? QStringLiteral("reduce") : QStringLiteral("enlarge")));
        button->setToolTip(alone ? tr("Shows all charts again (Esc)") : tr("Enlarges this chart (Enter)"));
    }
    if (alone)
        m_charts[*alone]->setFocus();
}

// Charts are made for places, not for metrics: what stands where changes, with all that is drawn.
void ChartsPanel::rearrange()
{
    rebuild();
    reset();
    show();
    refresh();
}

void ChartsPanel::moveChart(std::size_t from, std::size_t to)
{
    const auto shown = panels();
    if (from >= shown.size() || to >= shown.size() || from == to)
        return;
    m_arrangement.move(shown, from, to);
    rearrange();
    m_charts[to]->setFocus();
    Q_EMIT choiceChanged();
}

void ChartsPanel::hideChart(std::size_t chart)
{
    const auto shown = panels();
    if (chart < shown.size() && shown.size() > 1)
        setMetricShown(ChartArrangement::keyOf(shown[chart]), false);
}

void ChartsPanel::showHidden()
{
    m_arrangement.showAll();
    rearrange();
    Q_EMIT choiceChanged();
}

void ChartsPanel::setMetricShown(const std::string& metric, bool shown)
{
    if (std::find(m_extra.begin(), m_extra.end(), metric) != m_extra.end() && !shown) {
        m_enlarged.clear();
        setExtraMetric(metric, false);
        return;
    }
    for (const MetricPanel& panel : allPanels()) {
        if (std::find(panel.metrics.begin(), panel.metrics.end(), metric) == panel.metrics.end())
            continue;
        m_arrangement.setHidden(ChartArrangement::keyOf(panel), !shown);
        m_enlarged.clear();
        rearrange();
        Q_EMIT choiceChanged();
        return;
    }
    setExtraMetric(metric, shown);
}

void ChartsPanel::makeMovable(ChartWidget* chart)
{
    auto* button = makeToolButton(QStringLiteral("enlarge"), {}, tr("Enlarges this chart (Enter)"), chart);
    button->setObjectName(QStringLiteral("enlarge"));
    button->setFocusPolicy(Qt::NoFocus); // Enter does the same, and every chart would be two stops for Tab
    connect(button, &QToolButton::clicked, this,
            [this, chart] { enlarge(enlarged() ? std::nullopt : placeOf(chart)); });
    connect(chart, &ChartWidget::menuAsked, this, [this, chart](QMenu* menu) { fillChartMenu(chart, menu); });
    chart->installEventFilter(this);
    chart->viewport()->installEventFilter(this);
}

void ChartsPanel::fillChartMenu(ChartWidget* chart, QMenu* menu)
{
    const auto place = placeOf(chart);
    if (!place)
        return;
    const std::size_t at = *place;
    menu->addSeparator();
    if (enlarged())
        menu->addAction(tr("Show all c&harts"), this, [this] { enlarge({}); });
    else
        menu->addAction(tr("&Enlarge"), this, [this, at] { enlarge(at); });
    const auto add = [&](const QString& text, bool possible, auto act) {
        menu->addAction(text, this, act)->setEnabled(possible && !enlarged());
    };
    add(tr("Move &before the previous one"), at > 0, [this, at] { moveChart(at, at - 1); });
    add(tr("Move after t&he next one"), at + 1 < m_charts.size(), [this, at] { moveChart(at, at + 1); });
    add(tr("&Hide"), m_charts.size() > 1, [this, at] { hideChart(at); });
    const auto hidden = static_cast<std::int64_t>(allPanels().size() - panels().size());
    if (hidden > 0)
        menu->addAction(counted(hidden, tr("Sho&w the hidden chart"), tr("Sho&w %1 hidden charts")), this,
                        &ChartsPanel::showHidden);
}

bool ChartsPanel::chartKey(std::size_t chart, const QKeyEvent& event)
{
    const bool alt = event.modifiers() & Qt::AltModifier;
    switch (event.key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        enlarge(enlarged() ? std::nullopt : std::optional(chart));
        return true;
    case Qt::Key_Escape:
        if (!enlarged())
            return false;
        enlarge({});
        return true;
    case Qt::Key_Delete:
        if (enlarged())
            return false;
        hideChart(chart);
        return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (!alt || enlarged())
            return false;
        if (event.key() == Qt::Key_Right)
            moveChart(chart, chart + 1);
        else if (chart > 0)
            moveChart(chart, chart - 1);
        return true;
    default:
        return false;
    }
}

// A chart is picked up by its title and dropped on another.
bool ChartsPanel::chartDrag(ChartWidget* chart, QEvent* event)
{
    const auto* mouse = static_cast<QMouseEvent*>(event);
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        if (mouse->button() != Qt::LeftButton || enlarged() || mouse->pos().y() >= chart->titleHeight())
            return false;
        m_dragged = chart; // the legend below the title has its own clicks: nothing is swallowed
        return false;
    case QEvent::MouseMove: {
        if (m_dragged != chart)
            return false;
        const QPoint at = mouse->globalPosition().toPoint();
        const bool out = !chart->rect().contains(chart->mapFromGlobal(at));
        chart->viewport()->setCursor(out ? Qt::ClosedHandCursor : Qt::ArrowCursor);
        return out;
    }
    case QEvent::MouseButtonRelease: {
        if (std::exchange(m_dragged, nullptr) != chart)
            return false;
        chart->viewport()->unsetCursor();
        const QPoint at = mouse->globalPosition().toPoint();
        for (std::size_t i = 0; i < m_charts.size(); ++i) {
            ChartWidget* other = m_charts[i];
            if (other == chart || !other->isVisible() || !other->rect().contains(other->mapFromGlobal(at)))
                continue;
            // Not from inside the event of a chart that is drawn anew.
            QMetaObject::invokeMethod(
                this, [this, from = placeOf(chart), i] { moveChart(from.value_or(i), i); },
                Qt::QueuedConnection);
        }
        return false;
    }
    default:
        return false;
    }
}

bool ChartsPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (const auto place = placeOf(watched)) {
        if (event->type() == QEvent::KeyPress && chartKey(*place, *static_cast<QKeyEvent*>(event)))
            return true;
        if (event->type() == QEvent::Resize) {
            QToolButton* button = enlargeButton(m_charts[*place]);
            const QSize size = button->sizeHint();
            // Beside the name of the x axis: the legend has the corner above.
            button->setGeometry(m_charts[*place]->width() - size.width() - cornerRoom,
                                m_charts[*place]->height() - size.height() - cornerRoom, size.width(),
                                size.height());
        }
    } else if (const auto owner = placeOf(watched->parent())) {
        if (chartDrag(m_charts[*owner], event))
            return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace sparserl
