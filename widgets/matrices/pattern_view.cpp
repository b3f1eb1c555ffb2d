// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/pattern_view.h"

#include "widgets/common/format.h"
#include "widgets/common/theme.h"

#include <QEvent>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

// What is counted while painting: about 10 ms. More goes to a thread.
constexpr std::int64_t entriesWhilePainting = 1'500'000, rowsWhilePainting = 200'000;
constexpr double legendHeight = 30;
constexpr double fewPerPixel = 0.05;

} // namespace

PatternView::PatternView(QWidget* parent)
    : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Pattern of the matrix"));
}

PatternView::~PatternView()
{
    m_cancel.cancel();
    m_jobs.cancel();
}

bool PatternView::drawable() const
{
    return m_pattern && matrix()->rows > 0 && matrix()->cols > 0;
}

void PatternView::setPattern(std::shared_ptr<const MatrixPattern> pattern, const QString& name)
{
    m_cancel.cancel();
    m_cancel = CancelToken();
    m_jobs.cancel();
    m_again = false;
    m_pattern = std::move(pattern);
    m_name = name;
    m_cursorRow = m_cursorCol = -1;
    m_tile = {};
    m_base = QImage();
    m_baseLevel = nullptr;
    m_originalRows.clear();
    m_originalCols.clear();
    m_marks.clear();
    m_markMeaning.clear();
    showAll();
    updateReadout();
    setAccessibleName(name.isEmpty() ? tr("Pattern of the matrix") : tr("Pattern of %1").arg(name));
}

void PatternView::setOrigin(std::vector<std::int32_t> rows, std::vector<std::int32_t> cols)
{
    m_originalRows = std::move(rows);
    m_originalCols = std::move(cols);
    updateReadout();
}

void PatternView::setMarks(std::vector<std::pair<std::int32_t, std::int32_t>> marks, const QString& meaning)
{
    m_marks = std::move(marks);
    m_markMeaning = meaning;
    update();
}

void PatternView::setShading(Shading shading)
{
    m_shading = shading;
    recolour();
    update();
}

void PatternView::recolour()
{
    const Theme& theme = Theme::of(this);
    m_tile.image = densityImage(m_tile.grid, m_shading, theme);
    m_base = m_baseLevel ? densityImage(*m_baseLevel, m_shading, theme) : QImage();
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
    if (!drawable())
        return;
    const QRectF area = plotArea();
    const double rows = matrix()->rows, cols = matrix()->cols;
    m_port.scaleX = area.width() / cols;
    m_port.scaleY = area.height() / rows;
    // Square cells, unless that would leave a thread of a very long or very wide matrix.
    const double aspect = cols / rows;
    if (aspect > 0.2 && aspect < 5)
        m_port.scaleX = m_port.scaleY = std::min(m_port.scaleX, m_port.scaleY);
    m_port.originRow = -(area.height() / m_port.scaleY - rows) / 2;
    m_port.originCol = -(area.width() / m_port.scaleX - cols) / 2;
}

void PatternView::showAll()
{
    m_port.fitted = true;
    fit();
    moved();
}

void PatternView::setViewport(const PatternViewport& viewport)
{
    if (!drawable())
        return;
    m_port = viewport;
    if (m_port.fitted)
        fit();
    viewChanged();
}

// The matrix may be moved until half of it, or half of the view, is left in sight.
void PatternView::clampView()
{
    const QRectF area = plotArea();
    const double rows = area.height() / m_port.scaleY, cols = area.width() / m_port.scaleX;
    const auto clampOrigin = [](double origin, double span, double size) {
        const double left = std::min(span, size) / 2;
        return std::clamp(origin, left - span, size - left);
    };
    m_port.originRow = clampOrigin(m_port.originRow, rows, matrix()->rows);
    m_port.originCol = clampOrigin(m_port.originCol, cols, matrix()->cols);
}

void PatternView::zoomAround(QPointF pixel, double factor)
{
    if (!drawable())
        return;
    const double row = rowAt(pixel.y()), col = colAt(pixel.x());
    const bool onMatrix = matrixRect().intersected(plotArea()).contains(pixel);
    const double square = m_port.scaleX / m_port.scaleY;
    m_port.scaleY = std::min(m_port.scaleY / factor, 90.0);
    m_port.scaleX = m_port.scaleY * square;
    if (m_port.scaleX > 90) {
        m_port.scaleX = 90;
        m_port.scaleY = m_port.scaleX / square;
    }
    // Stretched matrices become square again where single cells show.
    if (m_port.scaleX > 12 || m_port.scaleY > 12)
        m_port.scaleX = m_port.scaleY = std::max(m_port.scaleX, m_port.scaleY);
    const QRectF area = plotArea();
    if (m_port.scaleY * matrix()->rows <= area.height() && m_port.scaleX * matrix()->cols <= area.width() &&
        factor > 1) {
        showAll();
        return;
    }
    m_port.originRow = row - (pixel.y() - area.top()) / m_port.scaleY;
    m_port.originCol = col - (pixel.x() - area.left()) / m_port.scaleX;
    m_port.fitted = false;
    if (!onMatrix) // else it keeps its place, and so the matrix stays in sight
        clampView();
    moved();
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
    return {area.left() + (col - m_port.originCol) * m_port.scaleX,
            area.top() + (row - m_port.originRow) * m_port.scaleY};
}

double PatternView::rowAt(double y) const
{
    return m_port.originRow + (y - plotArea().top()) / m_port.scaleY;
}

double PatternView::colAt(double x) const
{
    return m_port.originCol + (x - plotArea().left()) / m_port.scaleX;
}

QRectF PatternView::matrixRect() const
{
    return m_pattern ? QRectF(toPixel(0, 0), toPixel(matrix()->rows, matrix()->cols)) : QRectF();
}

void PatternView::viewChanged()
{
    m_stale = true;
    updateReadout();
    update();
}

void PatternView::moved()
{
    viewChanged();
    Q_EMIT viewportChanged(m_port);
}

void PatternView::chooseBase()
{
    // Of the pyramid, what has about a cell a pixel.
    const double dpr = devicePixelRatioF();
    const QRectF whole = matrixRect();
    const auto cells = [dpr](double side) {
        return static_cast<std::int32_t>(std::clamp(side * dpr, 1.0, 65536.0));
    };
    const DensityGrid* level = m_pattern->pyramid().levelFor(cells(whole.width()), cells(whole.height()));
    if (level == m_baseLevel)
        return;
    m_baseLevel = level;
    m_base = level ? densityImage(*level, m_shading, Theme::of(this)) : QImage();
}

void PatternView::renderTile()
{
    m_stale = false;
    const QRectF area = plotArea();
    const CsrView& m = *matrix();
    const auto rowBegin = static_cast<std::int64_t>(std::max(0.0, std::floor(rowAt(area.top()))));
    const auto rowEnd = static_cast<std::int64_t>(std::min<double>(m.rows, std::ceil(rowAt(area.bottom()))));
    const auto colBegin = static_cast<std::int64_t>(std::max(0.0, std::floor(colAt(area.left()))));
    const auto colEnd = static_cast<std::int64_t>(std::min<double>(m.cols, std::ceil(colAt(area.right()))));
    if (rowEnd <= rowBegin || colEnd <= colBegin)
        return;
    const std::int64_t entries =
        m.rowPtr[static_cast<std::size_t>(rowEnd)] - m.rowPtr[static_cast<std::size_t>(rowBegin)];
    const double across = static_cast<double>(colEnd - colBegin) * m_port.scaleX,
                 down = static_cast<double>(rowEnd - rowBegin) * m_port.scaleY;
    // Counted at device pixels: sharp on any screen. Few entries keep larger dots, which can be seen.
    const double dpr = static_cast<double>(entries) < fewPerPixel * across * down ? 1.0 : devicePixelRatioF();
    const auto width = std::max(1, static_cast<int>(std::lround(across * dpr)));
    const auto height = std::max(1, static_cast<int>(std::lround(down * dpr)));
    const auto count = [=, pattern = m_pattern, cancel = m_cancel] {
        return densityTile(pattern->matrix(), rowBegin, rowEnd, colBegin, colEnd, width, height, cancel);
    };
    if (entries <= entriesWhilePainting && rowEnd - rowBegin <= rowsWhilePainting) {
        m_jobs.cancel();
        m_again = false;
        m_tile.grid = count();
        m_tile.image = densityImage(m_tile.grid, m_shading, Theme::of(this));
        m_sharp = true;
        return;
    }
    m_sharp = false;
    chooseBase();
    if (m_jobs.running()) { // what it counts is shown where it belongs, then comes what is in view by then
        m_again = true;
        return;
    }
    if (!m_thread)
        m_thread = std::make_unique<BackgroundThread>(QStringLiteral("pattern"));
    m_jobs.start<DensityGrid>(*m_thread, count, [this](DensityGrid grid) {
        m_tile.grid = std::move(grid);
        m_tile.image = densityImage(m_tile.grid, m_shading, Theme::of(this));
        m_sharp = !m_again;
        if (std::exchange(m_again, false))
            m_stale = true;
        updateReadout();
        update();
    });
}

void PatternView::updateReadout()
{
    QString text;
    if (m_pattern && m_cursorRow < 0) {
        text = tr("Point at an entry, or use arrow keys");
    } else if (m_pattern) {
        const auto numbered = [](std::int64_t index, const std::vector<std::int32_t>& before) {
            const auto i = static_cast<std::size_t>(index);
            return i < before.size() ? tr("%1 (was %2)").arg(formatCount(index), formatCount(before[i]))
                                     : formatCount(index);
        };
        const QString place =
            tr("row %1, column %2")
                .arg(numbered(m_cursorRow, m_originalRows), numbered(m_cursorCol, m_originalCols));
        float value = 0;
        const bool stored = findEntry(*matrix(), m_cursorRow, m_cursorCol, value);
        text = stored ? tr("%1: %2").arg(place, formatNumber(value, 7)) : tr("%1: no entry").arg(place);
        text +=
            QStringLiteral("   ·   ") + counted(matrix()->rowLength(static_cast<std::int32_t>(m_cursorRow)),
                                                tr("one entry in this row"), tr("%1 entries in this row"));
        if (m_port.scaleX < 1 || m_port.scaleY < 1) {
            const double dpr = devicePixelRatioF();
            const double cells =
                std::max(1.0, 1 / m_port.scaleX / dpr) * std::max(1.0, 1 / m_port.scaleY / dpr);
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
    if (!drawable())
        return;
    m_cursorRow = std::clamp<std::int64_t>(row, 0, matrix()->rows - 1);
    m_cursorCol = std::clamp<std::int64_t>(col, 0, matrix()->cols - 1);
    updateReadout();
    update();
}

void PatternView::resizeEvent(QResizeEvent*)
{
    if (m_port.fitted)
        fit();
    viewChanged();
}

void PatternView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        recolour();
        update();
    }
}

} // namespace sparserl
