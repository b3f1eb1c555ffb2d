// SPDX-License-Identifier: Apache-2.0
// What PatternView draws.
#include "widgets/common/chart_scale.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/common/typed_path.h"
#include "widgets/matrices/pattern_view.h"

#include <QBuffer>
#include <QHash>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr double readableCell = 34; // pixels a cell needs for its value
constexpr double legendHeight = 30; // as in plotArea()
constexpr qsizetype mostRectangles = 200'000;

QColor markColour(const Theme& theme)
{
    return theme.dark ? QColor(255, 120, 90) : QColor(214, 39, 40);
}

} // namespace

void PatternView::paintRulers(QPainter& painter) const
{
    const Theme& theme = Theme::of(this);
    const QRectF area = plotArea(), whole = matrixRect().intersected(area);
    QFont small = font();
    small.setPointSizeF(std::max(6.5, small.pointSizeF() * 0.82));
    painter.setFont(small);
    painter.setPen(theme.muted);
    const QFontMetricsF metrics(small);
    const AxisScale rows{rowAt(whole.top()), rowAt(whole.bottom()), false};
    const AxisScale cols{colAt(whole.left()), colAt(whole.right()), false};
    double freeFrom = 0;
    for (const AxisTick& tick : niceTicks(rows, std::max(2, static_cast<int>(whole.height() / 60)))) {
        if (tick.value != std::floor(tick.value) || tick.value >= matrix()->rows)
            continue;
        const double y = toPixel(tick.value + (m_port.scaleY > 3 ? 0.5 : 0), 0).y();
        painter.drawText(QRectF(0, y - metrics.height() / 2, whole.left() - 6, metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
        painter.drawLine(QPointF(whole.left() - 4, y), QPointF(whole.left() - 1, y));
    }
    for (const AxisTick& tick : niceTicks(cols, std::max(2, static_cast<int>(whole.width() / 80)))) {
        if (tick.value != std::floor(tick.value) || tick.value >= matrix()->cols)
            continue;
        const double x = toPixel(0, tick.value + (m_port.scaleX > 3 ? 0.5 : 0)).x();
        const double width = metrics.horizontalAdvance(tick.label);
        if (x - width / 2 < freeFrom)
            continue;
        painter.drawText(
            QRectF(x - width / 2 - 2, whole.top() - 6 - metrics.height(), width + 4, metrics.height()),
            Qt::AlignCenter, tick.label);
        painter.drawLine(QPointF(x, whole.top() - 4), QPointF(x, whole.top() - 1));
        freeFrom = x + width / 2 + 8;
    }
}

void PatternView::paintCells(QPainter& painter) const
{
    // Single entries: thin lines between cells, values where they fit.
    const Theme& theme = Theme::of(this);
    const QRectF whole = matrixRect().intersected(plotArea());
    const auto row0 = static_cast<std::int32_t>(std::floor(rowAt(whole.top()) + 1e-6));
    const auto row1 = static_cast<std::int32_t>(std::ceil(rowAt(whole.bottom()) - 1e-6));
    const auto col0 = static_cast<std::int32_t>(std::floor(colAt(whole.left()) + 1e-6));
    const auto col1 = static_cast<std::int32_t>(std::ceil(colAt(whole.right()) - 1e-6));
    painter.setPen(QPen(theme.grid, 0));
    for (std::int32_t row = row0; row <= row1; ++row)
        painter.drawLine(QPointF(whole.left(), toPixel(row, 0).y()),
                         QPointF(whole.right(), toPixel(row, 0).y()));
    for (std::int32_t col = col0; col <= col1; ++col)
        painter.drawLine(QPointF(toPixel(0, col).x(), whole.top()),
                         QPointF(toPixel(0, col).x(), whole.bottom()));
    if (m_port.scaleX < readableCell || m_port.scaleY < 16)
        return;
    const CsrView& m = *matrix();
    QFont small = font();
    small.setPointSizeF(std::max(6.0, std::min(small.pointSizeF() * 0.85, m_port.scaleX / 6.5)));
    painter.setFont(small);
    for (std::int32_t row = std::max(0, row0); row < std::min(row1, m.rows); ++row) {
        const auto begin = m.col.begin() + m.rowPtr[row];
        const auto end = m.col.begin() + m.rowPtr[row + 1];
        for (auto it = std::lower_bound(begin, end, col0); it != end && *it >= col0 && *it < col1; ++it) {
            const QRectF cell(toPixel(row, *it), toPixel(row + 1, *it + 1));
            const float value = m.val[static_cast<std::size_t>(it - m.col.begin())];
            painter.setPen(theme.dark ? QColor(10, 14, 20) : QColor(Qt::white));
            painter.drawText(cell, Qt::AlignCenter, formatNumber(value, 3));
        }
    }
}

void PatternView::paintMarks(QPainter& painter) const
{
    if (m_marks.empty())
        return;
    const Theme& theme = Theme::of(this);
    const QColor colour = markColour(theme);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = plotArea().adjusted(-8, -8, 8, 8);
    for (const auto& [row, col] : m_marks) {
        QRectF cell(toPixel(row, col), toPixel(row + 1, col + 1));
        if (!area.intersects(cell.adjusted(-4, -4, 4, 4)))
            continue;
        if (cell.width() < 6 || cell.height() < 6)
            cell = QRectF(cell.center() - QPointF(3.5, 3.5), QSizeF(7, 7));
        painter.setPen(QPen(theme.base, 3));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(cell);
        painter.setPen(QPen(colour, 1.6));
        painter.drawEllipse(cell);
    }
    painter.restore();
}

void PatternView::paintCursor(QPainter& painter) const
{
    if (m_cursorRow < 0)
        return;
    const Theme& theme = Theme::of(this);
    const QRectF area = plotArea();
    QRectF cell(toPixel(m_cursorRow, m_cursorCol), toPixel(m_cursorRow + 1, m_cursorCol + 1));
    painter.setPen(QPen(blend(theme.base, theme.bad, 0.6), 1));
    painter.drawLine(QPointF(area.left(), cell.center().y()), QPointF(cell.left() - 3, cell.center().y()));
    painter.drawLine(QPointF(cell.center().x(), area.top()), QPointF(cell.center().x(), cell.top() - 3));
    if (cell.width() < 5)
        cell = QRectF(cell.center() - QPointF(3, 3), QSizeF(6, 6));
    painter.setPen(QPen(theme.bad, 1.5));
    painter.drawRect(cell);
}

void PatternView::paintLegend(QPainter& painter) const
{
    const Theme& theme = Theme::of(this);
    QFont small = font();
    small.setPointSizeF(std::max(6.5, small.pointSizeF() * 0.82));
    painter.setFont(small);
    const QFontMetricsF metrics(small);
    const QRectF area = plotArea();
    // The exact picture's scale where it is there, else that of the pyramid.
    static const DensityGrid none;
    const DensityGrid& shownGrid = !m_tile.image.isNull() ? m_tile.grid : m_baseLevel ? *m_baseLevel : none;
    QString low, high;
    if (m_shading == Shading::Binary) {
        low = tr("each mark: at least one entry");
    } else if (m_shading == Shading::Relative) {
        low = tr("1 entry");
        high =
            shownGrid.most > 1 ? tr("%1 in one pixel").arg(formatCount(shownGrid.most)) : tr("one per pixel");
    } else {
        low = tr("≤ 0.01 % filled");
        high = tr("all filled");
    }
    const double y = area.bottom() + legendHeight / 2 + 4;
    double x = area.left();
    painter.setPen(theme.muted);
    painter.drawText(QPointF(x, y + metrics.ascent() / 2 - 1), low);
    x += metrics.horizontalAdvance(low) + 8;
    if (!high.isEmpty()) {
        for (int i = 0; i < 110; ++i)
            painter.fillRect(QRectF(x + i, y - 4, 1.5, 8),
                             QColor::fromRgb(densityColour(i / 109.0, theme.dark)));
        painter.drawText(QPointF(x + 118, y + metrics.ascent() / 2 - 1), high);
        x += 118 + metrics.horizontalAdvance(high) + 8;
    }
    if (m_marks.empty() || m_markMeaning.isEmpty())
        return;
    // What the circles are: beside the scale, or what fits of it.
    x += 8;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(markColour(theme), 1.6));
    painter.drawEllipse(QRectF(x, y - 3.5, 7, 7));
    painter.restore();
    painter.setPen(theme.muted);
    painter.drawText(QPointF(x + 13, y + metrics.ascent() / 2 - 1),
                     metrics.elidedText(m_markMeaning, Qt::ElideRight, std::max(0.0, width() - x - 17)));
}

void PatternView::paintLayer(QPainter& painter, const Layer& layer, bool vector) const
{
    if (layer.image.isNull())
        return;
    const DensityGrid& grid = layer.grid;
    const QRectF target(toPixel(static_cast<double>(grid.rowBegin), static_cast<double>(grid.colBegin)),
                        toPixel(static_cast<double>(grid.rowEnd), static_cast<double>(grid.colEnd)));
    if (!vector) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        painter.drawImage(target, layer.image);
        return;
    }
    // Neighbours of one colour in a row are one rectangle, so that a drawing program gets shapes.
    const double w = target.width() / grid.width, h = target.height() / grid.height;
    const QRgb empty = Theme::of(this).base.rgb();
    QHash<QRgb, QList<QRectF>> shapes;
    qsizetype count = 0;
    for (int y = 0; y < grid.height; ++y) {
        const auto* line = reinterpret_cast<const QRgb*>(layer.image.constScanLine(y));
        for (int x = 0; x < grid.width;) {
            const int begin = x;
            while (x < grid.width && line[x] == line[begin])
                ++x;
            if (line[begin] == empty)
                continue;
            shapes[line[begin]].append(
                QRectF(target.left() + begin * w, target.top() + y * h, (x - begin) * w, h));
            ++count;
        }
    }
    if (count > mostRectangles) {
        painter.drawImage(target, layer.image);
        return;
    }
    painter.setPen(Qt::NoPen);
    for (auto it = shapes.cbegin(); it != shapes.cend(); ++it) {
        painter.setBrush(QColor::fromRgb(it.key()));
        painter.drawRects(it.value());
    }
}

void PatternView::paint(QPainter& painter, bool vector)
{
    const Theme& theme = Theme::of(this);
    if (!m_pattern)
        return;
    const QRectF area = plotArea();
    if (!drawable()) {
        painter.setPen(theme.muted);
        painter.drawText(area, Qt::AlignCenter, tr("This matrix has no rows or no columns."));
        return;
    }
    paintRulers(painter);
    painter.save();
    painter.setClipRect(area.adjusted(-1, -1, 1, 1));
    painter.fillRect(matrixRect().intersected(area), theme.base);
    // The pyramid stands in for what the exact picture does not cover yet, or is too fine for.
    const QRectF inView = matrixRect().intersected(area);
    const QRectF exact(
        toPixel(static_cast<double>(m_tile.grid.rowBegin), static_cast<double>(m_tile.grid.colBegin)),
        toPixel(static_cast<double>(m_tile.grid.rowEnd), static_cast<double>(m_tile.grid.colEnd)));
    const bool covered = !m_tile.image.isNull() && exact.adjusted(-1, -1, 1, 1).contains(inView);
    const double pixel = 0.6 / devicePixelRatioF();
    const bool tooFine = !m_sharp && (exact.width() < pixel * m_tile.grid.width ||
                                      exact.height() < pixel * m_tile.grid.height);
    if ((!covered || tooFine) && m_baseLevel)
        paintLayer(painter, {*m_baseLevel, m_base}, vector);
    if (!tooFine || !m_baseLevel)
        paintLayer(painter, m_tile, vector);
    if (m_port.scaleX >= 7 && m_port.scaleY >= 7)
        paintCells(painter);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(matrixRect());
    paintMarks(painter);
    if (!vector)
        paintCursor(painter);
    painter.restore();
    paintLegend(painter);
}

void PatternView::paintEvent(QPaintEvent*)
{
    if (m_stale && drawable())
        renderTile();
    QPainter painter(this);
    paint(painter, false);
    if (hasFocus() && m_pattern) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(Theme::of(this).accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
}

QString PatternView::save(const QString& file)
{
    QBuffer out;
    bool good = out.open(QIODevice::WriteOnly);
    if (file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
        QSvgGenerator generator;
        generator.setOutputDevice(&out);
        generator.setSize(size());
        generator.setViewBox(rect());
        generator.setTitle(m_name);
        QPainter painter(&generator);
        painter.fillRect(rect(), Theme::of(this).base);
        paint(painter, true);
        good = painter.end();
    } else {
        constexpr int scale = 2; // fit for print
        QImage image(size() * scale, QImage::Format_RGB32);
        image.setDevicePixelRatio(scale);
        image.fill(Theme::of(this).base);
        QPainter painter(&image);
        paint(painter, false);
        painter.end();
        good = image.save(&out, "PNG");
    }
    if (!good)
        return tr("The picture could not be made.");
    const Status saved = saveFile(file, out.data());
    return saved ? QString() : sentenceOf(saved.error());
}

} // namespace sparserl
