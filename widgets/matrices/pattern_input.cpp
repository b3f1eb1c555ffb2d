// SPDX-License-Identifier: Apache-2.0
// What PatternView does on the mouse and on keys.
#include "matrix/sampled_entries.h"
#include "widgets/matrices/pattern_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace sparserl {

void PatternView::mouseMoveEvent(QMouseEvent* event)
{
    if (!drawable())
        return;
    if (m_dragging) {
        m_port.originRow = m_pressedRow - (event->position().y() - m_pressed.y()) / m_port.scaleY;
        m_port.originCol = m_pressedCol - (event->position().x() - m_pressed.x()) / m_port.scaleX;
        m_port.fitted = false;
        clampView();
        moved();
        return;
    }
    if (matrixRect().intersected(plotArea()).contains(event->position()))
        setCursorCell(static_cast<std::int64_t>(rowAt(event->position().y())),
                      static_cast<std::int64_t>(colAt(event->position().x())));
}

void PatternView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !drawable())
        return;
    m_dragging = true;
    m_pressed = event->position();
    m_pressedRow = m_port.originRow;
    m_pressedCol = m_port.originCol;
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

bool PatternView::moveCursor(const QKeyEvent& event)
{
    const bool fast = event.modifiers() & Qt::ShiftModifier, far = event.modifiers() & Qt::ControlModifier;
    // One cell, or one pixel where a pixel holds several cells.
    const auto rowStep = std::max<std::int64_t>(1, std::llround(1 / m_port.scaleY)) * (fast ? 10 : 1);
    const auto colStep = std::max<std::int64_t>(1, std::llround(1 / m_port.scaleX)) * (fast ? 10 : 1);
    const std::int64_t row = std::max<std::int64_t>(0, m_cursorRow),
                       col = std::max<std::int64_t>(0, m_cursorCol);
    switch (event.key()) {
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
        setCursorCell(far ? 0 : row, 0);
        break;
    case Qt::Key_End:
        setCursorCell(far ? matrix()->rows - 1 : row, matrix()->cols - 1);
        break;
    default:
        return false;
    }
    showCursor();
    return true;
}

// Where it is out of sight, it comes into the middle.
void PatternView::showCursor()
{
    const QRectF area = plotArea();
    const QPointF cursor =
        toPixel(static_cast<double>(m_cursorRow) + 0.5, static_cast<double>(m_cursorCol) + 0.5);
    if (m_port.fitted || m_cursorRow < 0 || area.contains(cursor))
        return;
    m_port.originRow = static_cast<double>(m_cursorRow) + 0.5 - area.height() / m_port.scaleY / 2;
    m_port.originCol = static_cast<double>(m_cursorCol) + 0.5 - area.width() / m_port.scaleX / 2;
    clampView();
    moved();
}

void PatternView::goTo(std::int64_t row, std::int64_t col)
{
    if (!drawable())
        return;
    setCursorCell(row, col);
    constexpr double readable = 24; // pixels a cell
    const QRectF area = plotArea();
    m_port.scaleX = std::max(m_port.scaleX, readable);
    m_port.scaleY = std::max(m_port.scaleY, readable);
    m_port.scaleX = m_port.scaleY = std::max(m_port.scaleX, m_port.scaleY);
    m_port.originRow = static_cast<double>(m_cursorRow) + 0.5 - area.height() / m_port.scaleY / 2;
    m_port.originCol = static_cast<double>(m_cursorCol) + 0.5 - area.width() / m_port.scaleX / 2;
    m_port.fitted = false;
    clampView();
    moved();
}

void PatternView::nextEntry()
{
    stepEntry(1);
}

void PatternView::previousEntry()
{
    stepEntry(-1);
}

void PatternView::stepEntry(int step)
{
    if (!drawable() || matrix()->nnz() == 0)
        return;
    const CsrView& m = *matrix();
    std::int64_t entry = step > 0 ? 0 : m.nnz() - 1; // where there is no cursor yet
    if (m_cursorRow >= 0) {
        const auto row = static_cast<std::size_t>(m_cursorRow);
        const auto begin = m.col.begin() + m.rowPtr[row], end = m.col.begin() + m.rowPtr[row + 1];
        const auto col = static_cast<std::int32_t>(m_cursorCol);
        entry = step > 0 ? std::upper_bound(begin, end, col) - m.col.begin()
                         : std::lower_bound(begin, end, col) - m.col.begin() - 1;
        entry = (entry + m.nnz()) % m.nnz();
    }
    setCursorCell(rowOfEntry(m, entry), m.col[static_cast<std::size_t>(entry)]);
    showCursor();
}

bool PatternView::moveView(const QKeyEvent& event)
{
    const QRectF area = plotArea();
    const double rows = area.height() / m_port.scaleY / 4, cols = area.width() / m_port.scaleX / 4;
    switch (event.key()) {
    case Qt::Key_Left:
        m_port.originCol -= cols;
        break;
    case Qt::Key_Right:
        m_port.originCol += cols;
        break;
    case Qt::Key_Up:
        m_port.originRow -= rows;
        break;
    case Qt::Key_Down:
        m_port.originRow += rows;
        break;
    default:
        return false;
    }
    m_port.fitted = false;
    clampView();
    moved();
    return true;
}

void PatternView::keyPressEvent(QKeyEvent* event)
{
    if (!drawable())
        return QWidget::keyPressEvent(event);
    if (event->modifiers() & Qt::ControlModifier && moveView(*event))
        return;
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal)
        zoom(0.6);
    else if (event->key() == Qt::Key_Minus)
        zoom(1 / 0.6);
    else if (event->key() == Qt::Key_0)
        showAll();
    else if (event->key() == Qt::Key_N)
        stepEntry(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    else if (!moveCursor(*event))
        QWidget::keyPressEvent(event);
}

} // namespace sparserl
