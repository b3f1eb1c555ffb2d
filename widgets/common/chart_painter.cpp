// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_painter.h"

#include "widgets/common/chart_lines.h"
#include "widgets/common/format.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <cmath>
#include <limits>

namespace sparserl {

namespace {

/// With more than one point in so many pixels a curve is drawn by a cosmetic pen.
constexpr double pixelsPerDensePoint = 4;

// Extent of the finite points of visible series with x in [low, high].
bool extent(const ChartData& data, const QList<int>& hidden, double low, double high, AxisScale& x,
            AxisScale& y)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    x.low = y.low = inf;
    x.high = y.high = -inf;
    for (int i = 0; i < data.series.size(); ++i) {
        if (hidden.contains(i))
            continue;
        for (const QPointF& p : data.series[i].points) {
            if (p.x() < low || p.x() > high || (data.logX && p.x() <= 0))
                continue;
            x.low = std::min(x.low, p.x());
            x.high = std::max(x.high, p.x());
            if (!std::isfinite(p.y()) || (data.logY && p.y() <= 0))
                continue;
            y.low = std::min(y.low, p.y());
            y.high = std::max(y.high, p.y());
        }
    }
    return x.low <= x.high;
}

void finishY(const ChartData& data, AxisScale& y)
{
    y.logarithmic = data.logY;
    if (!(y.low <= y.high)) {
        y.low = data.logY ? 1 : 0;
        y.high = data.logY ? 10 : 1;
    }
    if (std::isfinite(data.reference) && (!data.logY || data.reference > 0)) {
        y.low = std::min(y.low, data.reference);
        y.high = std::max(y.high, data.reference);
    }
    if (data.zeroBased && !data.logY) {
        y.low = std::min(y.low, 0.0);
        const bool flat = !(y.high > y.low);
        y.high = flat ? y.low + 1 : y.high + 0.06 * (y.high - y.low);
        return;
    }
    bool bars = false;
    for (const ChartSeries& s : data.series)
        bars = bars || s.kind == ChartKind::Bars;
    if (bars && data.logY) {
        y.low = std::min(y.low, 1.0) * 0.7;
        y.high = std::max(y.high * 1.6, 10.0);
        return;
    }
    padRange(y, 0.08);
}

} // namespace

ChartView fullView(const ChartData& data, const QList<int>& hidden)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    ChartView view;
    if (!extent(data, hidden, -inf, inf, view.x, view.y)) {
        view.x = {data.logX ? 1.0 : 0.0, data.logX ? 10.0 : 1.0, data.logX};
    }
    view.x.logarithmic = data.logX;
    bool bars = false, labels = false;
    for (const ChartSeries& s : data.series) {
        bars = bars || s.kind == ChartKind::Bars;
        labels = labels || !s.labels.isEmpty();
    }
    if (bars && !data.logX) {
        view.x.low -= 0.6;
        view.x.high += 0.6;
    } else if (bars) {
        view.x.low /= 1.5;
        view.x.high *= 1.5;
    } else if (view.x.low == view.x.high || labels) {
        padRange(view.x, 0.05);
    } else {
        padRange(view.x, 0.01);
    }
    finishY(data, view.y);
    return view;
}

void fitY(const ChartData& data, const QList<int>& hidden, ChartView& view)
{
    AxisScale x;
    AxisScale y;
    extent(data, hidden, view.x.low, view.x.high, x, y);
    finishY(data, y);
    view.y = y;
}

ChartPainter::ChartPainter(const ChartData& data, const ChartView& view, const QList<int>& hidden,
                           const Theme& theme, const QFont& font, const QRectF& area)
    : m_data(data)
    , m_view(view)
    , m_hidden(hidden)
    , m_theme(theme)
    , m_font(font)
    , m_small(font)
    , m_area(area)
{
    m_small.setPointSizeF(std::max(6.5, font.pointSizeF() * 0.86));
    layout(area);
}

bool ChartPainter::hasCategories() const
{
    for (const ChartSeries& s : m_data.series)
        if (!s.labels.isEmpty())
            return true;
    return false;
}

bool ChartPainter::empty() const
{
    for (const ChartSeries& s : m_data.series)
        if (!s.points.isEmpty())
            return false;
    return true;
}

void ChartPainter::layout(const QRectF& area)
{
    const QFontMetricsF small(m_small), normal(m_font);
    double top = area.top() + 8;
    if (!m_data.title.isEmpty()) {
        m_titleArea = QRectF(area.left() + 12, top, area.width() - 24, normal.height());
        top = m_titleArea.bottom() + 4;
    }
    layoutLegend(area, top);
    if (!m_legend.isEmpty())
        top = std::max(top, m_legend.last().area.bottom() + 2);
    double bottom = area.bottom() - 8 - small.height() - 4;
    if (!m_data.xLabel.isEmpty())
        bottom -= small.height();
    const double height = std::max(20.0, bottom - top - 4);
    m_yTicks = niceTicks(m_view.y, std::max(2, static_cast<int>(height / (small.height() * 2.4))));
    double labels = 0;
    for (const AxisTick& tick : m_yTicks)
        labels = std::max(labels, small.horizontalAdvance(tick.label));
    const double left = area.left() + 14 + labels + 6;
    m_plot = QRectF(left, top + 4, std::max(20.0, area.right() - 14 - left), height);
    m_xTicks = niceTicks(m_view.x, std::max(2, static_cast<int>(m_plot.width() / 58)));
}

void ChartPainter::layoutLegend(const QRectF& area, double top)
{
    // Entries flow beside the title where there is room, else in lines below it.
    const QFontMetricsF small(m_small), normal(m_font);
    double total = 0;
    int named = 0;
    for (const ChartSeries& s : m_data.series) {
        if (s.opacity < 1)
            continue;
        total += 30 + small.horizontalAdvance(s.name) + 14;
        ++named;
    }
    if (named < 2)
        return;
    const double titleWidth = m_data.title.isEmpty() ? 0 : normal.horizontalAdvance(m_data.title) * 1.12 + 24;
    const double line = small.height() + 3;
    double x = area.left() + 12, y = top;
    if (titleWidth + total < area.width() - 20) {
        x = area.right() - 8 - total;
        y = m_data.title.isEmpty() ? top : m_titleArea.top() + 1;
    }
    for (int i = 0; i < m_data.series.size(); ++i) {
        if (m_data.series[i].opacity < 1)
            continue;
        const double width = std::min(30 + small.horizontalAdvance(m_data.series[i].name), area.width() - 24);
        if (x + width > area.right() - 6 && x > area.left() + 13) {
            x = area.left() + 12;
            y += line;
        }
        m_legend.append({i, QRectF(x, y, width, line)});
        x += width + 14;
    }
}

QPointF ChartPainter::toPixel(QPointF data) const
{
    return {m_plot.left() + m_view.x.toUnit(data.x()) * m_plot.width(),
            m_plot.bottom() - m_view.y.toUnit(data.y()) * m_plot.height()};
}

double ChartPainter::xAt(double pixel) const
{
    return m_view.x.fromUnit((pixel - m_plot.left()) / m_plot.width());
}

int ChartPainter::legendAt(QPointF position) const
{
    for (const LegendEntry& entry : m_legend)
        if (entry.area.contains(position))
            return entry.series;
    return -1;
}

QColor ChartPainter::colourOf(const ChartSeries& series) const
{
    return m_theme.series[series.colour % m_theme.series.size()];
}

QPen ChartPainter::penOf(const ChartSeries& series, double width) const
{
    QPen pen(colourOf(series), width);
    pen.setCapStyle(Qt::RoundCap);
    pen.setJoinStyle(Qt::RoundJoin);
    if (series.dash == 1)
        pen.setDashPattern({5, 3.2});
    else if (series.dash == 2)
        pen.setDashPattern({1, 2.6});
    else if (series.dash == 3)
        pen.setDashPattern({6, 3, 1, 3});
    return pen;
}

QPen ChartPainter::densePenOf(const ChartSeries& series) const
{
    QPen pen = penOf(series, 1);
    pen.setCosmetic(true);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::BevelJoin);
    return pen;
}

void ChartPainter::paintAxes(QPainter& painter) const
{
    const QFontMetricsF small(m_small);
    painter.setFont(m_small);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const AxisTick& tick : m_yTicks) {
        const double y = toPixel({m_view.x.low, tick.value}).y();
        if (y < m_plot.top() - 1 || y > m_plot.bottom() + 1)
            continue;
        painter.setPen(QPen(tick.label.isEmpty() ? blend(m_theme.base, m_theme.grid, 0.5) : m_theme.grid, 0));
        painter.drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
        painter.setPen(m_theme.muted);
        painter.drawText(
            QRectF(m_area.left(), y - small.height() / 2, m_plot.left() - 7 - m_area.left(), small.height()),
            Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    painter.setPen(QPen(m_theme.border, 0));
    painter.drawLine(m_plot.bottomLeft(), m_plot.bottomRight());
    double freeFrom = -1e9;
    const auto label = [&](double x, const QString& text, double available) {
        const double width = std::min(small.horizontalAdvance(text), available);
        double left = x - width / 2;
        left = std::min(left, m_area.right() - 4 - width);
        if (text.isEmpty() || left < freeFrom - 0.5)
            return;
        painter.setPen(m_theme.muted);
        painter.drawText(QRectF(left, m_plot.bottom() + 5, width + 1, small.height()), Qt::AlignCenter,
                         small.elidedText(text, Qt::ElideRight, available + 1));
        freeFrom = left + width + 6;
    };
    if (hasCategories()) {
        const ChartSeries* categories = nullptr;
        for (const ChartSeries& s : m_data.series)
            if (!s.labels.isEmpty() && !categories)
                categories = &s;
        const double step = std::abs(toPixel({1, 0}).x() - toPixel({0, 0}).x());
        for (int i = 0; i < categories->points.size() && i < categories->labels.size(); ++i)
            label(toPixel({categories->points[i].x(), 0}).x(), categories->labels[i],
                  std::max(30.0, step - 8));
    } else {
        for (const AxisTick& tick : m_xTicks) {
            const double x = toPixel({tick.value, m_view.y.low}).x();
            if (x < m_plot.left() - 1 || x > m_plot.right() + 1)
                continue;
            painter.setPen(QPen(m_theme.border, 0));
            painter.drawLine(QPointF(x, m_plot.bottom()),
                             QPointF(x, m_plot.bottom() + (tick.label.isEmpty() ? 2 : 4)));
            label(x, tick.label, 120);
        }
    }
    if (!m_data.xLabel.isEmpty()) {
        painter.setPen(m_theme.muted);
        painter.drawText(
            QRectF(m_plot.left(), m_plot.bottom() + 6 + small.height(), m_plot.width(), small.height()),
            Qt::AlignCenter, m_data.xLabel);
    }
}

void ChartPainter::paintBars(QPainter& painter, const ChartSeries& series) const
{
    // Bars of several series on one axis stand side by side.
    int barSeries = 0, position = 0;
    for (int i = 0; i < m_data.series.size(); ++i) {
        if (m_data.series[i].kind != ChartKind::Bars || m_hidden.contains(i))
            continue;
        if (&m_data.series[i] == &series)
            position = barSeries;
        ++barSeries;
    }
    double step = m_plot.width();
    for (int i = 1; i < series.points.size(); ++i)
        step = std::min(step, std::abs(toPixel(series.points[i]).x() - toPixel(series.points[i - 1]).x()));
    if (series.points.size() == 1)
        step = std::min(step, 120.0);
    const double group = std::clamp(step * 0.74, 1.0, 90.0 * std::max(1, barSeries));
    const double width = group / std::max(1, barSeries);
    const double zero = m_view.y.logarithmic ? m_plot.bottom()
                                             : std::clamp(toPixel({1, 0}).y(), m_plot.top(), m_plot.bottom());
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(blend(m_theme.base, colourOf(series), 0.86));
    for (const QPointF& p : series.points) {
        const double centre = toPixel({p.x(), 1}).x() - group / 2 + (position + 0.5) * width;
        if (!std::isfinite(p.y())) {
            paintNonFinite(painter, {centre}, colourOf(series));
            painter.setPen(Qt::NoPen);
            painter.setBrush(blend(m_theme.base, colourOf(series), 0.86));
            continue;
        }
        if (m_view.y.logarithmic && p.y() <= 0)
            continue;
        const double y = toPixel(p).y();
        const QRectF bar(centre - width * 0.46, std::min(y, zero), width * 0.92, std::abs(zero - y));
        painter.drawRoundedRect(bar, std::min(2.0, width / 4), std::min(2.0, bar.height() / 2));
    }
}

void ChartPainter::paintNonFinite(QPainter& painter, const QList<double>& xs, const QColor& colour) const
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const double x : xs) {
        if (x < m_plot.left() - 1 || x > m_plot.right() + 1)
            continue;
        painter.setPen(QPen(m_theme.bad, 1.2, Qt::DotLine));
        painter.drawLine(QPointF(x, m_plot.top() + 12), QPointF(x, m_plot.bottom()));
        painter.setPen(QPen(m_theme.bad, 1.8));
        painter.drawLine(QPointF(x - 3.5, m_plot.top() + 3), QPointF(x + 3.5, m_plot.top() + 10));
        painter.drawLine(QPointF(x + 3.5, m_plot.top() + 3), QPointF(x - 3.5, m_plot.top() + 10));
        painter.setPen(QPen(colour, 1.8));
        painter.drawLine(QPointF(x - 3.5, m_plot.top() + 12.5), QPointF(x + 3.5, m_plot.top() + 12.5));
    }
}

void ChartPainter::paintCurve(QPainter& painter, const ChartSeries& series) const
{
    const ScreenLines lines = decimateToScreen(
        series.points, m_view.x.low, m_view.x.high,
        [this](double x) {
            return toPixel({x, 1}).x();
        },
        [this](double y) {
            // A logarithmic axis has no zero: such values sit on the bottom edge rather than vanish.
            if (m_view.y.logarithmic && y <= 0)
                return m_plot.bottom();
            return std::clamp(toPixel({1, y}).y(), m_plot.top() - 4000, m_plot.bottom() + 4000);
        });
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    if (series.kind != ChartKind::Points) {
        painter.setOpacity(series.opacity);
        qsizetype count = 0;
        for (const QPolygonF& piece : lines.pieces)
            count += piece.size();
        // Round joins of a wide pen cost 30 times as much as a cosmetic line, and where points lie this dense
        // nobody sees a join.
        const bool dense = static_cast<double>(count) * pixelsPerDensePoint > m_plot.width();
        painter.setPen(dense ? densePenOf(series) : penOf(series, 1.6));
        for (const QPolygonF& piece : lines.pieces) {
            if (piece.size() == 1)
                painter.drawPoint(piece.first());
            else
                painter.drawPolyline(piece);
        }
    }
    const bool sparse = series.points.size() <= 60 && series.kind == ChartKind::Lines &&
                        series.points.size() * 12 < m_plot.width();
    if (series.kind == ChartKind::Points || series.kind == ChartKind::LinesAndPoints || sparse) {
        painter.setPen(QPen(m_theme.base, 1));
        painter.setBrush(colourOf(series));
        const double size = sparse ? 2.4 : 3.4;
        for (const QPolygonF& piece : lines.pieces)
            for (const QPointF& p : piece)
                painter.drawEllipse(p, size, size);
    }
    painter.setOpacity(1);
    paintNonFinite(painter, lines.nonFinite, colourOf(series));
}

void ChartPainter::paintReference(QPainter& painter) const
{
    if (!std::isfinite(m_data.reference))
        return;
    const double y = toPixel({m_view.x.low, m_data.reference}).y();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(m_theme.text, 1, Qt::DashLine));
    painter.drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
    if (m_data.referenceName.isEmpty())
        return;
    const QFontMetricsF small(m_small);
    const double width = small.horizontalAdvance(m_data.referenceName) + 8;
    const QRectF plate(m_plot.right() - width, y - small.height() - 2, width, small.height());
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.base);
    painter.drawRoundedRect(plate, 3, 3);
    painter.setFont(m_small);
    painter.setPen(m_theme.text);
    painter.drawText(plate, Qt::AlignCenter, m_data.referenceName);
}

void ChartPainter::paintMarks(QPainter& painter) const
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const ChartMark& mark : m_data.marks) {
        const double x = toPixel({mark.x, 1}).x();
        if (x < m_plot.left() || x > m_plot.right())
            continue;
        painter.setPen(QPen(m_theme.muted, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, m_plot.top()), QPointF(x, m_plot.bottom()));
        const QPolygonF flag({{x, m_plot.top()}, {x + 8, m_plot.top() + 3.5}, {x, m_plot.top() + 7}});
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.muted);
        painter.drawPolygon(flag);
    }
}

void ChartPainter::paintLegend(QPainter& painter) const
{
    painter.setFont(m_small);
    const QFontMetricsF small(m_small);
    for (const LegendEntry& entry : m_legend) {
        const ChartSeries& series = m_data.series[entry.series];
        const bool off = m_hidden.contains(entry.series);
        const double y = entry.area.center().y();
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setOpacity(off ? 0.35 : 1);
        if (series.kind == ChartKind::Bars) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(colourOf(series));
            painter.drawRoundedRect(QRectF(entry.area.left() + 8, y - 4.5, 12, 9), 2, 2);
        } else {
            painter.setPen(penOf(series, 2));
            painter.drawLine(QPointF(entry.area.left(), y), QPointF(entry.area.left() + 22, y));
        }
        painter.setPen(m_theme.text);
        painter.drawText(entry.area.adjusted(28, 0, 2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         small.elidedText(series.name, Qt::ElideMiddle, entry.area.width() - 27));
        painter.setOpacity(1);
    }
}

void ChartPainter::paint(QPainter& painter) const
{
    painter.save();
    if (!m_data.title.isEmpty()) {
        QFont title = m_font;
        title.setWeight(QFont::DemiBold);
        painter.setFont(title);
        painter.setPen(m_theme.text);
        const double width = m_titleArea.width();
        painter.drawText(m_titleArea, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(title).elidedText(m_data.title, Qt::ElideRight, width));
        if (!m_data.yLabel.isEmpty()) {
            const double used = QFontMetricsF(title).horizontalAdvance(m_data.title);
            painter.setFont(m_small);
            painter.setPen(m_theme.muted);
            const double legend = m_legend.isEmpty() || m_legend.first().area.top() > m_titleArea.bottom()
                                      ? m_titleArea.right()
                                      : m_legend.first().area.left();
            const QRectF area(m_titleArea.left() + used + 8, m_titleArea.top() + 1,
                              std::max(0.0, legend - m_titleArea.left() - used - 12), m_titleArea.height());
            painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                             QFontMetricsF(m_small).elidedText(m_data.yLabel, Qt::ElideRight, area.width()));
        }
    }
    if (empty()) {
        painter.setFont(m_font);
        painter.setPen(m_theme.muted);
        painter.drawText(m_plot.adjusted(8, 0, -8, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         m_data.emptyText.isEmpty() ? QCoreApplication::translate("chart", "No data yet.")
                                                    : m_data.emptyText);
        painter.restore();
        return;
    }
    paintAxes(painter);
    painter.setClipRect(m_plot.adjusted(-4, -2, 4, 1));
    paintMarks(painter);
    for (int i = 0; i < m_data.series.size(); ++i) {
        if (m_hidden.contains(i))
            continue;
        if (m_data.series[i].kind == ChartKind::Bars)
            paintBars(painter, m_data.series[i]);
        else
            paintCurve(painter, m_data.series[i]);
    }
    paintReference(painter);
    painter.setClipping(false);
    paintLegend(painter);
    painter.restore();
}

void ChartPainter::paintCursor(QPainter& painter, double x) const
{
    if (empty())
        return;
    struct Line
    {
        QString text;
        QColor colour;
    };
    QList<Line> lines;
    double shownX = x;
    double nearest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < m_data.series.size(); ++i) {
        if (m_hidden.contains(i) || m_data.series[i].points.isEmpty())
            continue;
        for (const QPointF& p : m_data.series[i].points) {
            const double distance = std::abs(m_view.x.toUnit(p.x()) - m_view.x.toUnit(x));
            if (distance < nearest)
                nearest = distance, shownX = p.x();
        }
    }
    QString head;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (int i = 0; i < m_data.series.size(); ++i) {
        const ChartSeries& s = m_data.series[i];
        if (m_hidden.contains(i) || s.points.isEmpty() || s.opacity < 1)
            continue;
        const auto it =
            std::min_element(s.points.cbegin(), s.points.cend(), [&](const QPointF& a, const QPointF& b) {
                return std::abs(a.x() - shownX) < std::abs(b.x() - shownX);
            });
        if (it->x() == shownX && !s.labels.isEmpty())
            head = s.labels.value(static_cast<int>(it - s.points.cbegin()));
        const QString at = it->x() == shownX ? QString() : QStringLiteral(" (%1)").arg(formatNumber(it->x()));
        lines.append({s.name + QStringLiteral("  ") + formatNumber(it->y(), 5) + at, colourOf(s)});
        if (std::isfinite(it->y()) && s.kind != ChartKind::Bars) {
            painter.setPen(QPen(m_theme.base, 1.5));
            painter.setBrush(colourOf(s));
            painter.drawEllipse(toPixel(*it), 4, 4);
        }
    }
    if (head.isEmpty())
        head = (m_data.xLabel.isEmpty() ? QStringLiteral("x") : m_data.xLabel) + QLatin1Char(' ') +
               formatNumber(shownX, 7);
    for (const ChartMark& mark : m_data.marks)
        if (std::abs(m_view.x.toUnit(mark.x) - m_view.x.toUnit(shownX)) * m_plot.width() < 5)
            lines.append({mark.text, m_theme.muted});
    const double pixel = toPixel({shownX, 1}).x();
    painter.setPen(QPen(m_theme.muted, 1));
    painter.drawLine(QPointF(pixel, m_plot.top()), QPointF(pixel, m_plot.bottom()));

    const QFontMetricsF small(m_small);
    double width = small.horizontalAdvance(head);
    for (const Line& line : lines)
        width = std::max(width, small.horizontalAdvance(line.text) + 12);
    const double height = (lines.size() + 1) * small.height() + 10;
    QRectF box(pixel + 10, m_plot.top() + 6, width + 16, height);
    if (box.right() > m_area.right() - 4)
        box.moveRight(pixel - 10);
    if (box.left() < m_area.left() + 2)
        box.moveLeft(m_area.left() + 2);
    painter.setPen(QPen(m_theme.border, 1));
    painter.setBrush(m_theme.raised);
    painter.drawRoundedRect(box, 4, 4);
    painter.setFont(m_small);
    painter.setPen(m_theme.muted);
    double y = box.top() + 5;
    painter.drawText(QPointF(box.left() + 8, y + small.ascent()), head);
    for (const Line& line : lines) {
        y += small.height();
        painter.setPen(Qt::NoPen);
        painter.setBrush(line.colour);
        painter.drawEllipse(QPointF(box.left() + 12, y + small.height() / 2), 3, 3);
        painter.setPen(m_theme.text);
        painter.drawText(QPointF(box.left() + 20, y + small.ascent()), line.text);
    }
    painter.restore();
}

} // namespace sparserl
