// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_lines.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

// Collects one pixel column at a time.
class ColumnWriter
{
public:
    void add(QPointF pixel)
    {
        const double column = std::floor(pixel.x());
        if (m_count > 0 && column != m_column)
            flush();
        if (m_count == 0) {
            m_column = column;
            m_first = m_low = m_high = pixel;
        }
        if (pixel.y() > m_low.y()) // pixels grow downwards
            m_low = pixel;
        if (pixel.y() < m_high.y())
            m_high = pixel;
        m_last = pixel;
        ++m_count;
    }

    void endPiece(QList<QPolygonF>& pieces)
    {
        flush();
        if (!m_piece.isEmpty())
            pieces.append(m_piece);
        m_piece.clear();
    }

private:
    void flush()
    {
        if (m_count == 0)
            return;
        m_piece.append(m_first);
        if (m_count > 2) {
            const bool lowFirst = m_low.x() <= m_high.x();
            m_piece.append(lowFirst ? m_low : m_high);
            m_piece.append(lowFirst ? m_high : m_low);
        }
        if (m_count > 1)
            m_piece.append(m_last);
        m_count = 0;
    }

    QPolygonF m_piece;
    QPointF m_first, m_low, m_high, m_last;
    double m_column = 0;
    int m_count = 0;
};

} // namespace

ScreenLines decimateToScreen(const QList<QPointF>& points, double xLow, double xHigh,
                             const std::function<double(double)>& xToPixel,
                             const std::function<double(double)>& yToPixel)
{
    ScreenLines lines;
    const auto byX = [](const QPointF& p, double x) { return p.x() < x; };
    auto begin = std::lower_bound(points.cbegin(), points.cend(), xLow, byX);
    auto end = std::lower_bound(points.cbegin(), points.cend(), xHigh, byX);
    // One point beyond each edge, so that the line runs on to the frame.
    if (begin != points.cbegin())
        --begin;
    for (int beyond = 0; beyond < 2 && end != points.cend(); ++beyond)
        ++end;

    ColumnWriter writer;
    for (auto it = begin; it != end; ++it) {
        const double x = xToPixel(it->x());
        if (!std::isfinite(it->y())) {
            writer.endPiece(lines.pieces);
            if (lines.nonFinite.isEmpty() || std::floor(lines.nonFinite.last()) != std::floor(x))
                lines.nonFinite.append(x);
            continue;
        }
        writer.add(QPointF(x, yToPixel(it->y())));
    }
    writer.endPiece(lines.pieces);
    return lines;
}

} // namespace sparserl
