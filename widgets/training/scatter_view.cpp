// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/scatter_view.h"

#include "widgets/common/format.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

namespace sparserl {

namespace {

constexpr double dot = 5, largeDot = 7; ///< Radii.
constexpr double reach = 14;            ///< Pixels from the mouse to the point that it means.

QString csvField(QString text)
{
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

/// Of the finite values, with room on either side.
AxisScale scaleOf(const std::vector<double>& values, bool logarithmic)
{
    AxisScale scale;
    scale.logarithmic = logarithmic;
    if (values.empty())
        return logarithmic ? AxisScale{1, 10, true} : scale;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    scale.low = *low;
    scale.high = *high;
    if (logarithmic) {
        const double room = std::max(1.15, std::pow(scale.high / scale.low, 0.06));
        scale.low /= room;
        scale.high *= room;
    } else {
        padRange(scale, 0.06);
    }
    return scale;
}

QList<AxisTick> logarithmicTicks(const AxisScale& scale)
{
    QList<AxisTick> ticks;
    const int first = static_cast<int>(std::floor(std::log10(scale.low)));
    const int last = static_cast<int>(std::ceil(std::log10(scale.high)));
    const int decades = std::max(1, (last - first) / 8);
    const bool few = last - first <= 2;
    for (int decade = first; decade <= last; decade += decades)
        for (const int digit : {1, 2, 5}) {
            const double value = digit * std::pow(10.0, decade);
            if (value >= scale.low && value <= scale.high && (digit == 1 || few))
                ticks.append({value, QLocale().toString(value, 'g', 3)});
        }
    return ticks;
}

} // namespace

ScatterView::ScatterView(QWidget* parent)
    : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Scatter plot of the runs"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void ScatterView::setData(ScatterData data)
{
    if (data == m_data)
        return;
    const QString pointed = m_pointed ? m_data.points[*m_pointed].key : QString();
    m_data = std::move(data);
    m_pointed.reset();
    for (std::size_t i = 0; i < m_data.points.size(); ++i)
        if (!pointed.isEmpty() && m_data.points[i].key == pointed)
            m_pointed = i;
    fit();
    const auto count = std::count_if(m_data.points.begin(), m_data.points.end(),
                                     [this](const ScatterPoint& p) { return drawn(p); });
    setAccessibleDescription(
        tr("%1 over %2, %3")
            .arg(m_data.yName, m_data.xName, counted(count, tr("one point"), tr("%1 points"))));
    update();
}

void ScatterView::setCurrent(const QString& key)
{
    m_current = key;
    update();
}

bool ScatterView::drawn(const ScatterPoint& point) const
{
    return std::isfinite(point.x) && std::isfinite(point.y) && (!m_data.logX || point.x > 0) &&
           (!m_data.logY || point.y > 0);
}

void ScatterView::fit()
{
    std::vector<double> xs, ys;
    for (const ScatterPoint& point : m_data.points)
        if (drawn(point)) {
            xs.push_back(point.x);
            ys.push_back(point.y);
        }
    m_x = scaleOf(xs, m_data.logX);
    m_y = scaleOf(ys, m_data.logY);
    if (!m_data.xTexts.isEmpty())
        m_x = {-0.5, static_cast<double>(m_data.xTexts.size()) - 0.5, false};
}

QRectF ScatterView::plot() const
{
    const QFontMetricsF metrics(font());
    double labels = 0;
    for (const AxisTick& tick : ticks(false))
        labels = std::max(labels, metrics.horizontalAdvance(tick.label));
    return QRectF(rect()).adjusted(labels + 18, metrics.height() + 14, -18, -2.4 * metrics.height() - 8);
}

QList<AxisTick> ScatterView::ticks(bool horizontal) const
{
    const AxisScale& scale = horizontal ? m_x : m_y;
    if (horizontal && !m_data.xTexts.isEmpty()) {
        QList<AxisTick> texts;
        for (qsizetype i = 0; i < m_data.xTexts.size(); ++i)
            texts.append({static_cast<double>(i), m_data.xTexts[i]});
        return texts;
    }
    const double room = horizontal ? width() / (6.0 * fontMetrics().averageCharWidth() + 30)
                                   : height() / (2.6 * fontMetrics().height());
    return scale.logarithmic ? logarithmicTicks(scale)
                             : niceTicks(scale, std::max(2, static_cast<int>(room)));
}

std::optional<QPointF> ScatterView::placeOf(std::size_t point) const
{
    if (point >= m_data.points.size() || !drawn(m_data.points[point]))
        return {};
    const QRectF area = plot();
    const ScatterPoint& p = m_data.points[point];
    return QPointF(area.left() + m_x.toUnit(p.x) * area.width(),
                   area.bottom() - m_y.toUnit(p.y) * area.height());
}

QString ScatterView::textOf(std::size_t point) const
{
    const ScatterPoint& p = m_data.points.at(point);
    const QString x = m_data.xTexts.isEmpty() ? formatNumber(p.x, 5) : m_data.xTexts.value(qRound(p.x));
    return tr("%1: %2 %3, %4 %5").arg(p.name, m_data.xName, x, m_data.yName, formatNumber(p.y, 5));
}

QByteArray ScatterView::csv() const
{
    QString text = csvField(tr("run")) + QLatin1Char(',') + csvField(m_data.xName) + QLatin1Char(',') +
                   csvField(m_data.yName) + QLatin1Char('\n');
    for (const ScatterPoint& p : m_data.points) {
        const QString x = m_data.xTexts.isEmpty() ? QString::number(p.x, 'g', 17)
                                                  : csvField(m_data.xTexts.value(qRound(p.x)));
        text += csvField(p.name) + QLatin1Char(',') + x + QLatin1Char(',') + QString::number(p.y, 'g', 17) +
                QLatin1Char('\n');
    }
    return text.toUtf8();
}

void ScatterView::paintAxes(QPainter& painter) const
{
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    const QFontMetricsF metrics(font());
    double before = -std::numeric_limits<double>::infinity();
    for (const AxisTick& tick : ticks(true)) {
        const double x = area.left() + m_x.toUnit(tick.value) * area.width();
        const double width = metrics.horizontalAdvance(tick.label);
        painter.setPen(QPen(theme.border, 1));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        if (x - width / 2 < before + 8 ||
            x + width / 2 > this->width() - 4) // names that would touch are left out; the tool tip has them
            continue;
        before = x + width / 2;
        painter.setPen(theme.muted);
        painter.drawText(QRectF(x - width / 2 - 2, area.bottom() + 4, width + 4, metrics.height()),
                         Qt::AlignCenter, tick.label);
    }
    for (const AxisTick& tick : ticks(false)) {
        const double y = area.bottom() - m_y.toUnit(tick.value) * area.height();
        painter.setPen(QPen(theme.border, 1));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(4, y - metrics.height() / 2, area.left() - 10, metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    painter.setPen(theme.text);
    painter.drawText(QRectF(area.left(), 6, area.width(), metrics.height()), Qt::AlignLeft, m_data.yName);
    painter.drawText(QRectF(area.left(), height() - metrics.height() - 6, area.width(), metrics.height()),
                     Qt::AlignRight, m_data.xName);
}

void ScatterView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = Theme::of(this);
    painter.setPen(QPen(hasFocus() ? theme.accent : theme.border, 1));
    painter.setBrush(theme.base);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
    const bool any = std::any_of(m_data.points.begin(), m_data.points.end(),
                                 [this](const ScatterPoint& p) { return drawn(p); });
    if (!any) {
        painter.setPen(theme.muted);
        painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
                         m_data.emptyText);
        return;
    }
    paintAxes(painter);
    const auto paint = [&](std::size_t i, double radius) {
        const auto place = placeOf(i);
        if (!place)
            return;
        QColor colour = theme.seriesColour(m_data.points[i].colour);
        painter.setPen(QPen(theme.base, 1));
        painter.setBrush(colour);
        painter.drawEllipse(*place, radius, radius);
    };
    std::optional<std::size_t> current;
    for (std::size_t i = 0; i < m_data.points.size(); ++i) {
        if (m_data.points[i].key == m_current)
            current = i;
        paint(i, dot);
    }
    if (current)
        paint(*current, largeDot);
    if (!m_pointed || !placeOf(*m_pointed))
        return;
    paint(*m_pointed, largeDot);
    const QPointF at = *placeOf(*m_pointed);
    painter.setPen(QPen(theme.text, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(at, largeDot + 2, largeDot + 2);
    const QString text = textOf(*m_pointed);
    const QFontMetricsF metrics(font());
    QRectF box(at.x() + 14, at.y() - metrics.height() - 14, metrics.horizontalAdvance(text) + 16,
               metrics.height() + 8);
    box.moveLeft(std::max(4.0, std::min(box.left(), width() - box.width() - 4)));
    box.moveTop(std::max(4.0, box.top()));
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.base);
    painter.drawRoundedRect(box, 5, 5);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, visibleText(text));
}

void ScatterView::point(const std::optional<std::size_t>& at)
{
    if (at == m_pointed)
        return;
    m_pointed = at;
    update();
}

void ScatterView::mouseMoveEvent(QMouseEvent* event)
{
    std::optional<std::size_t> nearest;
    double least = reach;
    for (std::size_t i = 0; i < m_data.points.size(); ++i)
        if (const auto place = placeOf(i)) {
            const QPointF off = *place - event->position();
            const double distance = std::hypot(off.x(), off.y());
            if (distance <= least) {
                least = distance;
                nearest = i;
            }
        }
    point(nearest);
}

void ScatterView::mousePressEvent(QMouseEvent* event)
{
    mouseMoveEvent(event);
    if (event->button() == Qt::LeftButton && m_pointed)
        Q_EMIT chosen(QString(m_data.points[*m_pointed].key));
}

void ScatterView::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    point({});
}

void ScatterView::keyPressEvent(QKeyEvent* event)
{
    const bool forward = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
    const bool back = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_pointed) {
        Q_EMIT chosen(QString(m_data.points[*m_pointed].key));
        return;
    }
    if (!forward && !back) {
        QWidget::keyPressEvent(event);
        return;
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_data.points.size(); ++i)
        if (drawn(m_data.points[i]))
            order.push_back(i);
    if (order.empty())
        return;
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
        const ScatterPoint &p = m_data.points[a], &q = m_data.points[b];
        return std::pair(p.x, p.y) < std::pair(q.x, q.y);
    });
    const auto at = m_pointed ? std::find(order.begin(), order.end(), *m_pointed) : order.end();
    if (at == order.end())
        point(forward ? order.front() : order.back());
    else if (forward && at + 1 != order.end())
        point(*(at + 1));
    else if (back && at != order.begin())
        point(*(at - 1));
    if (m_pointed)
        setAccessibleDescription(textOf(*m_pointed));
}

void ScatterView::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("&Copy as CSV"), this,
                   [this] { QGuiApplication::clipboard()->setText(QString::fromUtf8(csv())); });
    menu.exec(event->globalPos());
}

void ScatterView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    update();
}

} // namespace sparserl
