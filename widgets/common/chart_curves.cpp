// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_curves.h"

#include "widgets/common/chart_lines.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/translate.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPixmapCache>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

/// A shorter piece of a mark's text says nothing.
constexpr double leastLabel = 45;

/// With more than one point in so many pixels a curve is drawn by a cosmetic pen.
constexpr double pixelsPerDensePoint = 2;
/// Pixels of the screen to one of ours from which a column of a curve is two of them wide.
constexpr double finePixels = 1.5;
/// How far marks and points reach out of the plot.
constexpr double margin = 5;

// Round joins of a wide pen cost 30 times as much as a cosmetic line, and where points lie this dense nobody
// sees a join.
QPen densePen(const ChartSeries& series, const Theme& theme)
{
    QPen pen = seriesPen(series, theme, 1);
    pen.setCosmetic(true);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::BevelJoin);
    return pen;
}

} // namespace

QColor seriesColour(const ChartSeries& series, const Theme& theme)
{
    return series.colour < 0 ? theme.muted : theme.seriesColour(series.colour);
}

QPen seriesPen(const ChartSeries& series, const Theme& theme, double width)
{
    QPen pen(seriesColour(series, theme), series.strong ? width * 1.6 : width);
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

void CurvePainter::paint(QPainter& painter) const
{
    if (data.empty()) {
        paintEmptyText(painter);
        return;
    }
    painter.save();
    painter.setClipRect(plot.adjusted(-margin, -2, margin, 1));
    paintMarks(painter);
    for (int i = 0; i < data.series.size(); ++i) // below all curves
        if (!hidden.contains(i) && data.series[i].low && data.series[i].high)
            paintBand(painter, data.series[i]);
    for (int i = 0; i < data.series.size(); ++i) {
        const ChartSeries& series = data.series[i];
        if (hidden.contains(i))
            continue;
        if (series.kind == ChartKind::Bars || series.kind == ChartKind::Boxes)
            paintBarMarks(painter, series);
        else if (series.kind == ChartKind::Points)
            paintPoints(painter, series);
        else if (series.curve->smoothed()) {
            paintCurve(painter, series, Curve::Values::Measured, 0.3);
            paintCurve(painter, series, Curve::Values::Average, 1);
        } else
            paintCurve(painter, series, Curve::Values::Measured, 1);
    }
    paintReference(painter);
    painter.restore();
}

void CurvePainter::paintPoints(QPainter& painter, const ChartSeries& series) const
{
    constexpr double radius = 3;
    const AxisScale& y = view.yOf(series);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.base, 0.6));
    QColor fill = seriesColour(series, theme);
    fill.setAlphaF(0.75F); // where many lie, it is darker
    painter.setBrush(fill);
    for (std::size_t i = 0; i < series.curve->size(); ++i)
        if (std::isfinite(series.curve->y(i)))
            painter.drawEllipse(
                QPointF(xInPlot(series.curve->x(i), view.x, plot), yInPlot(series.curve->y(i), y, plot)),
                radius, radius);
}

void CurvePainter::paintCurve(QPainter& painter, const ChartSeries& series, Curve::Values which,
                              double opacity) const
{
    const AxisScale& y = view.yOf(series);
    LineCache once;
    const auto at = static_cast<std::size_t>(&series - data.series.constData());
    LineCache& cache =
        drawn ? (*drawn)[which == Curve::Values::Average ? at + static_cast<std::size_t>(data.series.size())
                                                         : at]
              : once;
    const bool fine = pixelRatio >= finePixels;
    const double columns = plot.width() * (fine ? pixelRatio / 2 : pixelRatio);
    const ScreenLines& lines =
        cache.lines(series.curve, which, view.x, y, plot, static_cast<int>(std::ceil(columns)));
    qsizetype count = 0;
    for (const QPolygonF& piece : lines.pieces)
        count += piece.size();
    const bool dense = static_cast<double>(count) * pixelsPerDensePoint > plot.width();
    // Where each column has its lowest and highest point, steps of half a pixel are not seen, and smoothing
    // them takes twice as long as all else.
    painter.setRenderHint(QPainter::Antialiasing, !fine || static_cast<double>(count) <= 1.5 * columns);
    painter.setOpacity(opacity);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(dense ? densePen(series, theme) : seriesPen(series, theme, 1.6));
    // A cosmetic line is one pixel of the screen wide: where a pixel is half as large, it takes several.
    static constexpr QPointF places[] = {{0, 0}, {1, 0}, {0, 1}};
    const qsizetype passes = dense && fine ? std::ssize(places) : 1;
    for (qsizetype pass = 0; pass < passes; ++pass) {
        const QPointF place = places[pass] / pixelRatio;
        painter.translate(place);
        for (const QPolygonF& piece : lines.pieces) {
            if (piece.size() == 1)
                painter.drawPoint(piece.first());
            else
                painter.drawPolyline(piece);
        }
        painter.translate(-place);
    }
    const bool sparse = count <= 60 && static_cast<double>(count) * 12 < plot.width();
    if (series.kind == ChartKind::LinesAndPoints || (sparse && which == Curve::Values::Measured)) {
        painter.setPen(QPen(theme.base, 1));
        painter.setBrush(seriesColour(series, theme));
        const double usual = series.kind == ChartKind::LinesAndPoints ? 3.4 : 2.4;
        const double size = series.strong ? 1.8 * usual : usual;
        for (const QPolygonF& piece : lines.pieces)
            for (const QPointF& point : piece)
                painter.drawEllipse(point, size, size);
    }
    painter.setOpacity(1);
    if (which == Curve::Values::Measured)
        paintNonFinite(painter, lines.nonFinite, seriesColour(series, theme));
}

void CurvePainter::paintBand(QPainter& painter, const ChartSeries& series) const
{
    const AxisScale& y = view.yOf(series);
    const int columns = static_cast<int>(std::ceil(plot.width() * pixelRatio));
    const auto edge = [&](const Curve& curve) {
        return linesOnScreen(curve, Curve::Values::Measured, view.x, y, plot, columns).pieces;
    };
    const QList<QPolygonF> low = edge(*series.low), high = edge(*series.high);
    QColor fill = seriesColour(series, theme);
    fill.setAlphaF(0.16F);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    // Both break at the same x, so that their pieces belong together.
    for (qsizetype i = 0; i < std::min(low.size(), high.size()); ++i) {
        QPolygonF band = high[i];
        for (auto point = low[i].crbegin(); point != low[i].crend(); ++point)
            band.append(*point);
        painter.drawPolygon(band);
    }
}

void CurvePainter::paintNonFinite(QPainter& painter, const QList<double>& xs, const QColor& colour) const
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const double x : xs) {
        if (x < plot.left() - 1 || x > plot.right() + 1)
            continue;
        painter.setPen(QPen(theme.bad, 1.2, Qt::DotLine));
        painter.drawLine(QPointF(x, plot.top() + 12), QPointF(x, plot.bottom()));
        painter.setPen(QPen(theme.bad, 1.8));
        painter.drawLine(QPointF(x - 3.5, plot.top() + 3), QPointF(x + 3.5, plot.top() + 10));
        painter.drawLine(QPointF(x + 3.5, plot.top() + 3), QPointF(x - 3.5, plot.top() + 10));
        painter.setPen(QPen(colour, 1.8)); // whose value it is
        painter.drawLine(QPointF(x - 3.5, plot.top() + 12.5), QPointF(x + 3.5, plot.top() + 12.5));
    }
}

void CurvePainter::paintBarMarks(QPainter& painter, const ChartSeries& series) const
{
    QList<double> xs;
    for (std::size_t i = 0; i < series.curve->size(); ++i)
        if (!std::isfinite(series.curve->y(i)))
            xs.append(xInPlot(series.curve->x(i), view.x, plot));
    paintNonFinite(painter, xs, seriesColour(series, theme));
}

QList<MarkLabel> markLabels(const ChartData& data, const ChartView& view, const QRectF& plot,
                            const QFontMetricsF& metrics)
{
    constexpr double together = 0.5; // pixels: one line for the eye
    constexpr double flag = 11, gap = 8;
    QList<ChartMark> seen;
    for (const ChartMark& mark : data.marks)
        if (const double x = xInPlot(mark.x, view.x, plot); x >= plot.left() && x <= plot.right())
            seen.append({x, mark.text});
    std::stable_sort(seen.begin(), seen.end(),
                     [](const ChartMark& a, const ChartMark& b) { return a.x < b.x; });
    QList<MarkLabel> labels;
    for (const ChartMark& mark : std::as_const(seen)) {
        if (!labels.isEmpty() && mark.x - labels.last().x < together)
            labels.last().text += QStringLiteral(", ") + visibleText(mark.text);
        else
            labels.append({mark.x, 0, visibleText(mark.text)});
    }
    // A label stands behind its flag, and where the next one begins it ends: the cursor reads what is cut
    // off.
    double end = plot.left() - gap; // of the label before
    for (qsizetype i = 0; i < labels.size(); ++i) {
        MarkLabel& label = labels[i];
        const bool last = i + 1 == labels.size();
        const double from = label.x + flag, to = last ? plot.right() : labels[i + 1].x - gap;
        const double whole = metrics.horizontalAdvance(label.text);
        // The last one may stand in front of its flag instead.
        const double before = label.x - gap - (end + gap);
        const bool front = last && whole > to - from && before > to - from;
        const double room = std::min(whole, front ? before : to - from);
        label.left = front ? label.x - gap - room : from;
        label.text = room >= std::min(whole, leastLabel)
                         ? metrics.elidedText(label.text, Qt::ElideRight, room + 0.5)
                         : QString();
        end = label.text.isEmpty() ? from - gap : label.left + room;
    }
    return labels;
}

void CurvePainter::paintMarks(QPainter& painter) const
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    const QFontMetricsF metrics(font);
    const auto labels = markLabels(data, view, plot, metrics);
    for (const MarkLabel& label : labels) {
        painter.setPen(theme.muted);
        painter.setFont(font);
        painter.drawText(QPointF(label.left, plot.top() + metrics.ascent() - 2), label.text);
        const double x = label.x;
        painter.setPen(QPen(theme.muted, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.muted);
        painter.drawPolygon(QPolygonF({{x, plot.top()}, {x + 8, plot.top() + 3.5}, {x, plot.top() + 7}}));
    }
}

void CurvePainter::paintReference(QPainter& painter) const
{
    if (!std::isfinite(data.reference))
        return;
    const double y = yInPlot(data.reference, view.y, plot);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(theme.text, 1, Qt::DashLine));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    if (data.referenceName.isEmpty())
        return;
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(data.referenceName) + 8;
    const QRectF plate(plot.right() - width, y - metrics.height() - 2, width, metrics.height());
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.base);
    painter.drawRoundedRect(plate, 3, 3);
    painter.setFont(font);
    painter.setPen(theme.text);
    painter.drawText(plate, Qt::AlignCenter, visibleText(data.referenceName));
}

void CurvePainter::paintEmptyText(QPainter& painter) const
{
    painter.setFont(font);
    painter.setPen(theme.muted);
    painter.drawText(plot.adjusted(8, 0, -8, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     data.emptyText.isEmpty() ? tr("No data yet.") : data.emptyText);
}

CurveItem::CurveItem(QGraphicsItem* parent)
    : QGraphicsItem(parent)
{
    // Nine charts on a screen of 2x need 24 MB; Qt's 10 MB would throw each out before it is shown again.
    constexpr int leastCache = 96 * 1024; // KiB
    QPixmapCache::setCacheLimit(std::max(QPixmapCache::cacheLimit(), leastCache));
    setZValue(5); // above grid and axes
    setCacheMode(DeviceCoordinateCache);
    setAcceptedMouseButtons(Qt::NoButton);
}

void CurveItem::setSource(const ChartData* data, const ChartView* view, const QList<int>* hidden)
{
    m_data = data;
    m_view = view;
    m_hidden = hidden;
}

void CurveItem::setLook(const Theme& theme, const QFont& font)
{
    m_theme = &theme;
    m_font = font;
    update();
}

void CurveItem::setPlot(const QRectF& plot)
{
    prepareGeometryChange();
    m_plot = plot;
    update();
}

QRectF CurveItem::boundingRect() const
{
    return m_plot.adjusted(-margin, -margin, margin, margin);
}

void CurveItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    if (!m_data || !m_theme || m_plot.width() < 1)
        return;
    const double ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1;
    m_drawn.resize(2 * static_cast<std::size_t>(m_data->series.size()));
    CurvePainter{*m_data, *m_view, *m_hidden, *m_theme, m_font, m_plot, ratio, &m_drawn}.paint(*painter);
}

} // namespace sparserl
