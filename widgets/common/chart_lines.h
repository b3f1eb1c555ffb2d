// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curves/curve.h"
#include "widgets/common/chart_scale.h"

#include <QList>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <memory>

namespace sparserl {

/// A curve reduced to what a screen can show, in pixels.
struct ScreenLines
{
    QList<QPolygonF> pieces; ///< One per run of finite points; per pixel column first, lowest, highest, last.
    QList<double> nonFinite; ///< x of NaN or infinite values, at most one a column.
    bool dense = false;      ///< There are more points than columns: single ones cannot be told apart.
};

/// Reduces what lies between x.low and x.high to at most four points per column of the plot; `columns` is how
/// many device pixels it is wide. The highest and the lowest value of every column stay, so no spike can
/// hide, and a value that is not finite breaks the line and is listed.
ScreenLines linesOnScreen(const Curve& curve, Curve::Values which, const AxisScale& x, const AxisScale& y,
                          const QRectF& plot, int columns);

/// The lines of one curve as they were drawn last. While the scales stay and points are only appended, what
/// is new is reduced and the rest kept: the lowest and the highest value of every column are the same as
/// anew.
class LineCache
{
public:
    const ScreenLines& lines(const std::shared_ptr<const Curve>& curve, Curve::Values which,
                             const AxisScale& x, const AxisScale& y, const QRectF& plot, int columns);

private:
    bool extend();

    std::shared_ptr<const Curve> m_curve; ///< Kept, so that no other one comes to its place in memory.
    Curve::Values m_which = Curve::Values::Measured;
    double m_smoothing = 0;
    AxisScale m_x, m_y;
    QRectF m_plot;
    int m_columns = 0;
    std::size_t m_size = 0;  ///< Points seen.
    std::size_t m_extra = 0; ///< Of those that came later, roughly how many were drawn.
    ScreenLines m_lines;
};

/// Where a value is in the plot. A logarithmic axis has no zero: such values sit on the bottom edge rather
/// than vanish.
double xInPlot(double value, const AxisScale& x, const QRectF& plot);
double yInPlot(double value, const AxisScale& y, const QRectF& plot);

} // namespace sparserl
