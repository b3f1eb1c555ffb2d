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

/// A curve reduced to screen resolution, in pixels.
struct ScreenLines
{
    QList<QPolygonF> pieces; ///< One for each sequence of finite points. It has the first, lowest, highest
                             ///< and last point of each pixel column.
    QList<double> nonFinite; ///< x of NaN or infinite values, at most one per column.
    bool dense = false;      ///< There are more points than columns, so single points are indistinguishable.
};

/// Reduces the part of a curve between x.low and x.high to at most four points per pixel column. `columns`:
/// width of the plot in device pixels. Each column keeps its highest and lowest values, so no spike is
/// hidden. Non-finite values interrupt the line and are listed.
ScreenLines linesOnScreen(const Curve& curve, Curve::Values which, const AxisScale& x, const AxisScale& y,
                          const QRectF& plot, int columns);

/// Caches the lines of one curve. While the scales stay the same and points are only appended, it reduces
/// only the new points. Each column has the same highest and lowest values as after a complete reduction.
class LineCache
{
public:
    const ScreenLines& lines(const std::shared_ptr<const Curve>& curve, Curve::Values which,
                             const AxisScale& x, const AxisScale& y, const QRectF& plot, int columns);

private:
    bool extend();

    std::shared_ptr<const Curve> m_curve; ///< Kept alive so that its address is not reused.
    Curve::Values m_which = Curve::Values::Measured;
    double m_smoothing = 0;
    AxisScale m_x, m_y;
    QRectF m_plot;
    int m_columns = 0;
    std::size_t m_size = 0;  ///< Number of points that have been reduced.
    std::size_t m_extra = 0; ///< Approximate number of points added since the last complete reduction.
    ScreenLines m_lines;
};

/// The position of a value in the plot. On a logarithmic axis, values of 0 or less are drawn on the bottom
/// edge.
double xInPlot(double value, const AxisScale& x, const QRectF& plot);
double yInPlot(double value, const AxisScale& y, const QRectF& plot);

} // namespace sparserl
