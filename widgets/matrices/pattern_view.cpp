// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/pattern_view.h"

#include "widgets/common/chart_scale.h"
#include "widgets/common/colormap.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr std::int64_t entriesWhilePainting = 3'000'000; // about 20 ms
constexpr double readableCell = 34;                      // pixels a cell needs for its value
constexpr double legendHeight = 30;

} // namespace

QRgb densityColour(double t, bool dark)
{
    t = std::clamp(t, 0.0, 1.0);
    return dark ? mapColor(ColorMap::Viridis, 0.34 + 0.66 * t) : mapColor(ColorMap::Viridis, 0.74 * (1 - t));
}

PatternView::PatternView(QWidget* parent)
    : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Pattern of the matrix"));
}

PatternView::~PatternView()
{
    m_jobs.cancel();
}

void PatternView::setMatrix(std::shared_ptr<const Csr> matrix, const QString& name)
{
    m_jobs.cancel();
    m_matrix = std::move(matrix);
    m_name = name;
    m_cursorRow = m_cursorCol = -1;
    m_image = QImage();
    m_grid = {};
    showAll();
    updateReadout();
    setAccessibleName(tr("Pattern of %1").arg(name));
}

void PatternView::setShading(Shading shading)
{
    m_shading = shading;
    colourTile();
    update();
}

QRectF PatternView::plotArea() const
{
    const double left = fontMetrics().horizontalAdvance(QStringLiteral("000,000")) + 14;
    const double top = fontMetrics().height() + 12;
    return QRectF(left, top, std::max(10.0, width() - left - 12),
                  std::max(10.0, height() - top - 8 - legendHeight));
}

void PatternView::fit()
{
    if (!m_matrix || m_matrix->rows == 0 || m_matrix->cols == 0)
        return;
    const QRectF area = plotArea();
    m_scaleX = area.width() / m_matrix->cols;
    m_scaleY = area.height() / m_matrix->rows;
    // Square cells, unless that would leave a thread of a very long or very wide matrix.
    const double aspect = static_cast<double>(m_matrix->cols) / m_matrix->rows;
    if (aspect > 0.2 && aspect < 5)
        m_scaleX = m_scaleY = std::min(m_scaleX, m_scaleY);
    m_originRow = -(area.height() / m_scaleY - m_matrix->rows) / 2;
    m_originCol = -(area.width() / m_scaleX - m_matrix->cols) / 2;
}

void PatternView::showAll()
{
    m_fitted = true;
    fit();
    viewChanged();
}

void PatternView::clampView()
{
    const QRectF area = plotArea();
    const double rows = area.height() / m_scaleY, cols = area.width() / m_scaleX;
    const auto clampOrigin = [](double origin, double span, double size) {
        return span >= size ? (size - span) / 2 : std::clamp(origin, 0.0, size - span);
    };
    m_originRow = clampOrigin(m_originRow, rows, m_matrix->rows);
    m_originCol = clampOrigin(m_originCol, cols, m_matrix->cols);
}

void PatternView::zoomAround(QPointF pixel, double factor)
{
    if (!m_matrix || m_matrix->rows == 0 || m_matrix->cols == 0)
        return;
    const double row = rowAt(pixel.y()), col = colAt(pixel.x());
    const double square = m_scaleX / m_scaleY;
    m_scaleY = std::min(m_scaleY / factor, 90.0);
    m_scaleX = m_scaleY * square;
    if (m_scaleX > 90) {
        m_scaleX = 90;
        m_scaleY = m_scaleX / square;
    }
    // Stretched matrices become square again where single cells show.
    if (m_scaleX > 12 || m_scaleY > 12)
        m_scaleX = m_scaleY = std::max(m_scaleX, m_scaleY);
    const QRectF area = plotArea();
    if (m_scaleY * m_matrix->rows <= area.height() && m_scaleX * m_matrix->cols <= area.width() &&
        factor > 1) {
        showAll();
        return;
    }
    m_originRow = row - (pixel.y() - area.top()) / m_scaleY;
    m_originCol = col - (pixel.x() - area.left()) / m_scaleX;
    m_fitted = false;
    clampView();
    viewChanged();
}

void PatternView::zoom(double factor)
{
    QPointF centre = plotArea().center();
    if (m_cursorRow >= 0) {
        const QPointF cursor = toPixel(m_cursorRow + 0.5, m_cursorCol + 0.5);
        if (plotArea().contains(cursor))
            centre = cursor;
    }
    zoomAround(centre, factor);
}

QPointF PatternView::toPixel(double row, double col) const
{
    const QRectF area = plotArea();
    return {area.left() + (col - m_originCol) * m_scaleX, area.top() + (row - m_originRow) * m_scaleY};
}

double PatternView::rowAt(double y) const
{
    return m_originRow + (y - plotArea().top()) / m_scaleY;
}

double PatternView::colAt(double x) const
{
    return m_originCol + (x - plotArea().left()) / m_scaleX;
}

QRectF PatternView::matrixRect() const
{
    return m_matrix ? QRectF(toPixel(0, 0), toPixel(m_matrix->rows, m_matrix->cols)) : QRectF();
}

void PatternView::viewChanged()
{
    m_stale = true;
    updateReadout();
    update();
}

void PatternView::renderTile()
{
    m_stale = false;
    const QRectF area = plotArea();
    const auto rowBegin = static_cast<std::int64_t>(std::max(0.0, std::floor(rowAt(area.top()))));
    const auto rowEnd =
        static_cast<std::int64_t>(std::min<double>(m_matrix->rows, std::ceil(rowAt(area.bottom()))));
    const auto colBegin = static_cast<std::int64_t>(std::max(0.0, std::floor(colAt(area.left()))));
    const auto colEnd =
        static_cast<std::int64_t>(std::min<double>(m_matrix->cols, std::ceil(colAt(area.right()))));
    if (rowEnd <= rowBegin || colEnd <= colBegin)
        return;
    const double dpr = devicePixelRatioF(); // binned at device pixels: sharp on any screen
    const auto width = std::max(1, static_cast<int>(std::lround((colEnd - colBegin) * m_scaleX * dpr)));
    const auto height = std::max(1, static_cast<int>(std::lround((rowEnd - rowBegin) * m_scaleY * dpr)));
    const std::int64_t entries = m_matrix->rowPtr[rowEnd] - m_matrix->rowPtr[rowBegin];
    auto matrix = m_matrix;
    const auto bin = [=] { return densityTile(*matrix, rowBegin, rowEnd, colBegin, colEnd, width, height); };
    if (entries <= entriesWhilePainting) {
        m_grid = bin();
        colourTile();
        return;
    }
    if (!m_thread)
        m_thread = std::make_unique<BackgroundThread>(QStringLiteral("pattern"));
    m_jobs.start<DensityGrid>(*m_thread, bin, [this](DensityGrid grid) {
        m_grid = std::move(grid);
        colourTile();
        updateReadout();
        update();
    });
}

void PatternView::colourTile()
{
    if (m_grid.counts.empty()) {
        m_image = QImage();
        return;
    }
    const Theme& theme = Theme::of(this);
    const QRgb empty = theme.base.rgb();
    m_image = QImage(m_grid.width, m_grid.height, QImage::Format_RGB32);
    const double most = std::log1p(static_cast<double>(m_grid.most));
    // Few colours are looked up, many pixels are written.
    std::array<QRgb, 256> table;
    for (int i = 0; i < 256; ++i)
        table[i] = densityColour(i / 255.0, theme.dark);
    const QRgb solid = theme.dark ? densityColour(0.55, true) : densityColour(0.8, false);
    for (int y = 0; y < m_grid.height; ++y) {
        auto* line = reinterpret_cast<QRgb*>(m_image.scanLine(y));
        for (int x = 0; x < m_grid.width; ++x) {
            const std::uint32_t count = m_grid.at(y, x);
            if (count == 0) {
                line[x] = empty;
                continue;
            }
            if (m_shading == Shading::Binary) {
                line[x] = solid;
                continue;
            }
            const double t = m_shading == Shading::Relative
                                 ? (m_grid.most <= 1 ? 0.8 : std::log1p(count) / most)
                                 : 1 + std::log10(std::max(1e-4, m_grid.fill(y, x))) / 4;
            line[x] = table[static_cast<int>(std::clamp(t, 0.0, 1.0) * 255)];
        }
    }
}

void PatternView::updateReadout()
{
    QString text;
    if (!m_matrix) {
        text = QString();
    } else if (m_cursorRow < 0) {
        text = tr("Move over the picture or use the arrow keys to read entries.");
    } else {
        const QString place = tr("row %1, column %2").arg(formatCount(m_cursorRow), formatCount(m_cursorCol));
        float value = 0;
        const bool stored = findEntry(*m_matrix, m_cursorRow, m_cursorCol, value);
        text = stored ? tr("%1: %2").arg(place, formatNumber(value, 7)) : tr("%1: no entry").arg(place);
        text +=
            QStringLiteral("   ·   ") + counted(m_matrix->rowLength(static_cast<std::int32_t>(m_cursorRow)),
                                                tr("one entry in this row"), tr("%1 entries in this row"));
        if (m_scaleX < 1 || m_scaleY < 1) {
            const double dpr = devicePixelRatioF();
            const double cells = std::max(1.0, 1 / m_scaleX / dpr) * std::max(1.0, 1 / m_scaleY / dpr);
            text += tr("   ·   a pixel holds %1 places").arg(formatShortCount(cells));
        }
    }
    if (text == m_readout)
        return;
    m_readout = text;
    setAccessibleDescription(text);
    Q_EMIT readoutChanged(text);
}

void PatternView::setCursorCell(std::int64_t row, std::int64_t col)
{
    if (!m_matrix || m_matrix->rows == 0 || m_matrix->cols == 0)
        return;
    m_cursorRow = std::clamp<std::int64_t>(row, 0, m_matrix->rows - 1);
    m_cursorCol = std::clamp<std::int64_t>(col, 0, m_matrix->cols - 1);
    updateReadout();
    update();
}

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
        if (tick.value != std::floor(tick.value) || tick.value >= m_matrix->rows)
            continue;
        const double y = toPixel(tick.value + (m_scaleY > 3 ? 0.5 : 0), 0).y();
        painter.drawText(QRectF(0, y - metrics.height() / 2, whole.left() - 6, metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
        painter.drawLine(QPointF(whole.left() - 4, y), QPointF(whole.left() - 1, y));
    }
    for (const AxisTick& tick : niceTicks(cols, std::max(2, static_cast<int>(whole.width() / 80)))) {
        if (tick.value != std::floor(tick.value) || tick.value >= m_matrix->cols)
            continue;
        const double x = toPixel(0, tick.value + (m_scaleX > 3 ? 0.5 : 0)).x();
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
    if (m_scaleX < readableCell || m_scaleY < 16)
        return;
    QFont small = font();
    small.setPointSizeF(std::max(6.0, std::min(small.pointSizeF() * 0.85, m_scaleX / 6.5)));
    painter.setFont(small);
    for (std::int32_t row = std::max(0, row0); row < std::min(row1, m_matrix->rows); ++row) {
        const auto begin = m_matrix->col.begin() + m_matrix->rowPtr[row];
        const auto end = m_matrix->col.begin() + m_matrix->rowPtr[row + 1];
        for (auto it = std::lower_bound(begin, end, col0); it != end && *it < col1; ++it) {
            const QRectF cell(toPixel(row, *it), toPixel(row + 1, *it + 1));
            const float value = m_matrix->val[it - m_matrix->col.begin()];
            painter.setPen(theme.dark ? QColor(10, 14, 20) : QColor(Qt::white));
            painter.drawText(cell, Qt::AlignCenter, formatNumber(value, 3));
        }
    }
}

void PatternView::paintLegend(QPainter& painter) const
{
    const Theme& theme = Theme::of(this);
    QFont small = font();
    small.setPointSizeF(std::max(6.5, small.pointSizeF() * 0.82));
    painter.setFont(small);
    const QFontMetricsF metrics(small);
    const QRectF area = plotArea();
    QString low, high;
    if (m_shading == Shading::Binary) {
        low = tr("every mark: at least one entry");
    } else if (m_shading == Shading::Relative) {
        low = tr("1 entry");
        high = m_grid.most > 1 ? tr("%1 in one pixel").arg(formatCount(m_grid.most)) : tr("one per pixel");
    } else {
        low = tr("≤ 0.01 % filled");
        high = tr("all filled");
    }
    const double y = area.bottom() + legendHeight / 2 + 4;
    double x = area.left();
    painter.setPen(theme.muted);
    painter.drawText(QPointF(x, y + metrics.ascent() / 2 - 1), low);
    if (high.isEmpty())
        return;
    x += metrics.horizontalAdvance(low) + 8;
    for (int i = 0; i < 110; ++i)
        painter.fillRect(QRectF(x + i, y - 4, 1.5, 8), QColor::fromRgb(densityColour(i / 109.0, theme.dark)));
    painter.drawText(QPointF(x + 118, y + metrics.ascent() / 2 - 1), high);
}

void PatternView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    if (!m_matrix)
        return;
    const QRectF area = plotArea();
    if (m_matrix->rows == 0 || m_matrix->cols == 0) {
        painter.setPen(theme.muted);
        painter.drawText(area, Qt::AlignCenter, tr("This matrix has no rows or no columns."));
        return;
    }
    if (m_stale)
        renderTile();
    paintRulers(painter);
    painter.save();
    painter.setClipRect(area.adjusted(-1, -1, 1, 1));
    painter.fillRect(matrixRect().intersected(area), theme.base);
    if (!m_image.isNull()) {
        const QRectF target(toPixel(m_grid.rowBegin, m_grid.colBegin), toPixel(m_grid.rowEnd, m_grid.colEnd));
        painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        painter.drawImage(target, m_image);
    }
    if (m_scaleX >= 7 && m_scaleY >= 7)
        paintCells(painter);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(matrixRect());
    if (m_cursorRow >= 0) {
        QRectF cell(toPixel(m_cursorRow, m_cursorCol), toPixel(m_cursorRow + 1, m_cursorCol + 1));
        painter.setPen(QPen(blend(theme.base, theme.bad, 0.6), 1));
        painter.drawLine(QPointF(area.left(), cell.center().y()),
                         QPointF(cell.left() - 3, cell.center().y()));
        painter.drawLine(QPointF(cell.center().x(), area.top()), QPointF(cell.center().x(), cell.top() - 3));
        if (cell.width() < 5)
            cell = QRectF(cell.center() - QPointF(3, 3), QSizeF(6, 6));
        painter.setPen(QPen(theme.bad, 1.5));
        painter.drawRect(cell);
    }
    painter.restore();
    paintLegend(painter);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
}

void PatternView::resizeEvent(QResizeEvent*)
{
    if (m_fitted)
        fit();
    viewChanged();
}

void PatternView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        colourTile();
        update();
    }
}

void PatternView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_matrix)
        return;
    if (m_dragging) {
        m_originRow = m_pressedRow - (event->position().y() - m_pressed.y()) / m_scaleY;
        m_originCol = m_pressedCol - (event->position().x() - m_pressed.x()) / m_scaleX;
        m_fitted = false;
        clampView();
        viewChanged();
        return;
    }
    if (matrixRect().intersected(plotArea()).contains(event->position()))
        setCursorCell(static_cast<std::int64_t>(rowAt(event->position().y())),
                      static_cast<std::int64_t>(colAt(event->position().x())));
}

void PatternView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_matrix)
        return;
    m_dragging = true;
    m_pressed = event->position();
    m_pressedRow = m_originRow;
    m_pressedCol = m_originCol;
    setCursor(Qt::ClosedHandCursor);
}

void PatternView::mouseReleaseEvent(QMouseEvent*)
{
    m_dragging = false;
    unsetCursor();
}

void PatternView::mouseDoubleClickEvent(QMouseEvent*)
{
    showAll();
}

void PatternView::wheelEvent(QWheelEvent* event)
{
    zoomAround(event->position(), std::pow(0.9985, event->angleDelta().y()));
    event->accept();
}

void PatternView::keyPressEvent(QKeyEvent* event)
{
    if (!m_matrix)
        return QWidget::keyPressEvent(event);
    const bool fast = event->modifiers() & Qt::ShiftModifier;
    // One cell, or one pixel where a pixel holds several cells.
    const auto rowStep = std::max<std::int64_t>(1, std::llround(1 / m_scaleY)) * (fast ? 10 : 1);
    const auto colStep = std::max<std::int64_t>(1, std::llround(1 / m_scaleX)) * (fast ? 10 : 1);
    const std::int64_t row = std::max<std::int64_t>(0, m_cursorRow),
                       col = std::max<std::int64_t>(0, m_cursorCol);
    switch (event->key()) {
    case Qt::Key_Left:
        setCursorCell(row, col - colStep);
        break;
    case Qt::Key_Right:
        setCursorCell(row, col + colStep);
        break;
    case Qt::Key_Up:
        setCursorCell(row - rowStep, col);
        break;
    case Qt::Key_Down:
        setCursorCell(row + rowStep, col);
        break;
    case Qt::Key_Home:
        setCursorCell(row, 0);
        break;
    case Qt::Key_End:
        setCursorCell(row, m_matrix->cols - 1);
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(0.6);
        break;
    case Qt::Key_Minus:
        zoom(1 / 0.6);
        break;
    case Qt::Key_0:
        showAll();
        break;
    default:
        return QWidget::keyPressEvent(event);
    }
    // The cursor stays in sight.
    const QRectF area = plotArea();
    const QPointF cursor = toPixel(m_cursorRow + 0.5, m_cursorCol + 0.5);
    if (!m_fitted && m_cursorRow >= 0 && !area.contains(cursor)) {
        m_originRow = m_cursorRow + 0.5 - area.height() / m_scaleY / 2;
        m_originCol = m_cursorCol + 0.5 - area.width() / m_scaleX / 2;
        clampView();
        viewChanged();
    }
}

} // namespace sparserl
