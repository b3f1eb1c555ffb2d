// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparserl {

namespace {

/// A column with no more points than this is drawn point by point.
constexpr std::size_t pointsOneByOne = 8;

// Writes the points of one column after the other into pieces.
class ColumnWriter
{
public:
    ColumnWriter(const Curve& curve, Curve::Values which, const AxisScale& x, const AxisScale& y,
                 const QRectF& plot, ScreenLines& lines)
        : m_curve(curve)
        , m_which(which)
        , m_x(x)
        , m_y(y)
        , m_plot(plot)
        , m_lines(lines)
    {
    }

    void add(std::size_t begin, std::size_t end)
    {
        if (end - begin <= pointsOneByOne) {
            for (std::size_t i = begin; i < end; ++i)
                addPoint(i);
            return;
        }
        const CurveExtremes extremes = m_curve.extremes(begin, end, m_which);
        const bool broken = extremes.nonFinite != CurveExtremes::none;
        if (broken) {
            mark(extremes.nonFinite);
            endPiece();
        }
        if (extremes.lowest == CurveExtremes::none)
            return;
        std::array<std::size_t, 4> keep{begin, extremes.lowest, extremes.highest, end - 1};
        std::sort(keep.begin(), keep.end());
        std::size_t last = CurveExtremes::none;
        for (const std::size_t i : keep) {
            // First and last of a column that holds a NaN may be that.
            if (i != last && std::isfinite(m_curve.value(i, m_which)))
                append(i);
            last = i;
        }
        if (broken)
            endPiece();
    }

    /// Goes on with the last piece.
    void resume()
    {
        if (!m_lines.pieces.isEmpty())
            m_piece = m_lines.pieces.takeLast();
    }

    void endPiece()
    {
        if (!m_piece.isEmpty())
            m_lines.pieces.append(std::exchange(m_piece, {}));
    }

private:
    void addPoint(std::size_t i)
    {
        if (std::isfinite(m_curve.value(i, m_which))) {
            append(i);
            return;
        }
        mark(i);
        endPiece();
    }
    void append(std::size_t i)
    {
        m_piece.append({xInPlot(m_curve.x(i), m_x, m_plot), yInPlot(m_curve.value(i, m_which), m_y, m_plot)});
    }
    void mark(std::size_t i)
    {
        const double x = xInPlot(m_curve.x(i), m_x, m_plot);
        if (m_lines.nonFinite.isEmpty() || std::floor(m_lines.nonFinite.last()) != std::floor(x))
            m_lines.nonFinite.append(x);
    }

    const Curve& m_curve;
    Curve::Values m_which;
    const AxisScale &m_x, &m_y;
    const QRectF& m_plot;
    ScreenLines& m_lines;
    QPolygonF m_piece;
};

/// Adds the points [begin, end), which lie in the columns from `column` on, counted from 1.
void addColumns(ColumnWriter& writer, const Curve& curve, const AxisScale& x, int columns, int column,
                std::size_t begin, std::size_t end)
{
    for (; column <= columns && begin < end; ++column) {
        const double edge = x.fromUnit(static_cast<double>(column) / columns);
        const auto left = static_cast<std::size_t>(columns - column + 1);
        const std::size_t guess = begin + (end - begin) / left; // points mostly lie evenly
        const std::size_t next = column == columns ? end : std::min(end, curve.firstFrom(edge, begin, guess));
        if (next > begin)
            writer.add(begin, next);
        begin = std::max(begin, next);
    }
}

} // namespace

double xInPlot(double value, const AxisScale& x, const QRectF& plot)
{
    return plot.left() + x.toUnit(value) * plot.width();
}

double yInPlot(double value, const AxisScale& y, const QRectF& plot)
{
    if (y.logarithmic && value <= 0)
        return plot.bottom();
    // The raster engine has no use for coordinates of millions.
    return std::clamp(plot.bottom() - y.toUnit(value) * plot.height(), plot.top() - 4000,
                      plot.bottom() + 4000);
}

ScreenLines linesOnScreen(const Curve& curve, Curve::Values which, const AxisScale& x, const AxisScale& y,
                          const QRectF& plot, int columns)
{
    ScreenLines lines;
    columns = std::max(1, columns);
    std::size_t begin = curve.firstFrom(x.low), end = curve.firstFrom(x.high);
    lines.dense = end - begin > static_cast<std::size_t>(columns);
    ColumnWriter writer(curve, which, x, y, plot, lines);
    // One point beyond each edge, so that the line runs on to the frame.
    if (begin > 0)
        writer.add(begin - 1, begin);
    if (end - begin <= static_cast<std::size_t>(columns)) {
        for (; begin < end; ++begin)
            writer.add(begin, begin + 1);
    } else {
        addColumns(writer, curve, x, columns, 1, begin, end);
    }
    for (std::size_t beyond = end; beyond < std::min(end + 2, curve.size()); ++beyond)
        writer.add(beyond, beyond + 1);
    writer.endPiece();
    return lines;
}

const ScreenLines& LineCache::lines(const std::shared_ptr<const Curve>& curve, Curve::Values which,
                                    const AxisScale& x, const AxisScale& y, const QRectF& plot, int columns)
{
    const bool same = m_curve == curve && m_which == which && m_smoothing == curve->smoothing() && m_x == x &&
                      m_y == y && m_plot == plot && m_columns == columns && m_size <= curve->size();
    if (!same || !extend()) {
        m_curve = curve;
        m_which = which;
        m_smoothing = curve->smoothing();
        m_x = x;
        m_y = y;
        m_plot = plot;
        m_columns = columns;
        m_extra = 0;
        m_lines = linesOnScreen(*curve, which, x, y, plot, columns);
    }
    m_size = curve->size();
    return m_lines;
}

// False where all has to be done anew.
bool LineCache::extend()
{
    const std::size_t size = m_curve->size();
    if (size == m_size)
        return true;
    if (m_size >= 2 && m_curve->x(m_size - 2) >= m_x.high)
        return true; // what is new lies further beyond the edge
    // Points that come a few at a time make more of a column than all of them at once: not without end.
    m_extra += std::min(size - m_size, 2 * pointsOneByOne);
    if (m_size == 0 || !m_lines.dense || m_extra > static_cast<std::size_t>(m_columns) ||
        m_curve->x(size - 1) >= m_x.high)
        return false;
    ColumnWriter writer(*m_curve, m_which, m_x, m_y, m_plot, m_lines);
    if (std::isfinite(m_curve->value(m_size - 1, m_which)))
        writer.resume();
    const double place = m_x.toUnit(m_curve->x(m_size)) * m_columns;
    addColumns(writer, *m_curve, m_x, m_columns, std::clamp(static_cast<int>(place) + 1, 1, m_columns),
               m_size, size);
    writer.endPiece();
    return true;
}

} // namespace sparserl
