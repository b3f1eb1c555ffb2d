// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_readout.h"

#include "widgets/common/chart_curves.h"
#include "widgets/common/chart_dates.h"
#include "widgets/common/chart_lines.h"
#include "widgets/common/format.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/translate.h"

#include <QFontMetricsF>
#include <QPainter>
#include <cmath>
#include <limits>

namespace sparserl {

namespace {

QString valueText(const Curve& curve, std::size_t i)
{
    QString value = formatNumber(curve.y(i), 5);
    if (!curve.smoothed())
        return value;
    return tr("%1 (mean %2)").arg(value, formatNumber(curve.value(i, Curve::Values::Average), 4));
}

QString boxText(const ChartSeries& series, std::size_t i)
{
    const ChartBox box = series.boxes.value(static_cast<qsizetype>(i));
    return tr("%1 (%2 to %3, n = %4)")
        .arg(formatNumber(series.curve->y(i), 4), formatNumber(box.low, 4), formatNumber(box.high, 4),
             formatCount(box.count));
}

} // namespace

QString xText(const ChartData& data, double x)
{
    if (data.x == ChartX::Seconds)
        return formatDuration(x);
    if (data.x == ChartX::Date)
        return dateText(x);
    const QString label = data.xLabel.isEmpty() ? QStringLiteral("x") : data.xLabel;
    return label + QLatin1Char(' ') + formatNumber(x, 7);
}

QString pointName(const ChartData& data, const ChartSeries& series, std::size_t point)
{
    QString label = series.labels.value(static_cast<qsizetype>(point));
    if (!label.isEmpty())
        return label;
    const double x = series.curve->x(point);
    if (data.x == ChartX::Date)
        return dateText(x);
    QString category = data.onCategories() ? data.categories.value(qRound(x)) : QString();
    return category.isEmpty() ? formatNumber(x, 7)
                              : category.replace(QLatin1Char('\n'), QStringLiteral(", "));
}

Readout readoutAt(const ChartData& data, const ChartView& view, const QList<int>& hidden, const Theme& theme,
                  const QRectF& plot, double x)
{
    Readout readout;
    double nearest = std::numeric_limits<double>::infinity();
    const auto visible = [&](int i) { return !hidden.contains(i) && !data.series[i].curve->empty(); };
    for (int i = 0; i < data.series.size(); ++i) {
        if (!visible(i))
            continue;
        const Curve& curve = *data.series[i].curve;
        const double at = curve.x(curve.nearest(x));
        if (std::abs(at - x) < nearest) {
            nearest = std::abs(at - x);
            readout.x = at;
            readout.valid = true;
        }
    }
    if (!readout.valid)
        return readout;
    for (int i = 0; i < data.series.size(); ++i) {
        if (!visible(i))
            continue;
        const ChartSeries& series = data.series[i];
        const Curve& curve = *series.curve;
        const std::size_t at = curve.nearest(readout.x);
        if (data.onCategories() && curve.x(at) != readout.x)
            continue; // what stands in another category tells nothing of this one
        if (!series.labels.isEmpty() || data.onCategories())
            readout.head = curve.x(at) == readout.x ? pointName(data, series, at) : readout.head;
        const QString elsewhere =
            curve.x(at) == readout.x
                ? QString()
                : QStringLiteral(" (%1)").arg(data.x == ChartX::Seconds ? formatDuration(curve.x(at))
                                              : data.x == ChartX::Date  ? dateText(curve.x(at))
                                                                        : formatNumber(curve.x(at), 7));
        Readout::Line line;
        line.text = series.name + QStringLiteral("  ") +
                    (series.kind == ChartKind::Boxes ? boxText(series, at) : valueText(curve, at)) +
                    elsewhere;
        line.colour = seriesColour(series, theme);
        line.spot = std::isfinite(curve.y(at)) && !data.onCategories() && curve.x(at) >= view.x.low &&
                    curve.x(at) <= view.x.high;
        if (line.spot)
            line.at = {xInPlot(curve.x(at), view.x, plot), yInPlot(curve.y(at), view.yOf(series), plot)};
        readout.lines.append(line);
    }
    if (readout.head.isEmpty())
        readout.head = xText(data, readout.x);
    for (const ChartMark& mark : data.marks)
        if (std::abs(view.x.toUnit(mark.x) - view.x.toUnit(readout.x)) * plot.width() < 5)
            readout.lines.append({mark.text, theme.muted, false, {}});
    return readout;
}

QRectF readoutBox(const Readout& readout, const QFont& font, const QRectF& plot, const QRectF& bounds,
                  double pixel)
{
    const QFontMetricsF metrics(font);
    double width = metrics.horizontalAdvance(readout.head);
    for (const Readout::Line& line : readout.lines)
        width = std::max(width, metrics.horizontalAdvance(line.text) + 12);
    QRectF box(pixel + 10, plot.top() + 6, width + 16,
               static_cast<double>(readout.lines.size() + 1) * metrics.height() + 10);
    if (box.right() > bounds.right() - 4)
        box.moveRight(pixel - 10);
    if (box.left() < bounds.left() + 2)
        box.moveLeft(bounds.left() + 2);
    return box;
}

void paintReadout(QPainter& painter, const Readout& readout, const Theme& theme, const QFont& font,
                  const QRectF& plot, const QRectF& box, double pixel)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.muted, 1));
    painter.drawLine(QPointF(pixel, plot.top()), QPointF(pixel, plot.bottom()));
    painter.setPen(QPen(theme.base, 1.5));
    for (const Readout::Line& line : readout.lines) {
        painter.setBrush(line.colour);
        if (line.spot)
            painter.drawEllipse(line.at, 4, 4);
    }
    if (box.isEmpty()) {
        painter.restore();
        return;
    }
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(box, 4, 4);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    painter.setPen(theme.muted);
    double y = box.top() + 5;
    painter.drawText(QPointF(box.left() + 8, y + metrics.ascent()), readout.head);
    for (const Readout::Line& line : readout.lines) {
        y += metrics.height();
        painter.setPen(Qt::NoPen);
        painter.setBrush(line.colour);
        painter.drawEllipse(QPointF(box.left() + 12, y + metrics.height() / 2), 3, 3);
        painter.setPen(theme.text);
        painter.drawText(QPointF(box.left() + 20, y + metrics.ascent()), visibleText(line.text));
    }
    painter.restore();
}

} // namespace sparserl
