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
    QList<QPolygonF> pieces; ///< One per run of finite points; per pixel column first, lowest, highest, last.
    QList<double> nonFinite; ///< x of NaN or infinite values, at most one per column.
    bool dense = false;      ///< There are more points than columns, so single points are indistinguishable.
};

/// Reduces the part between x.low and x.high to at most four points per column of the plot; `columns` is its
/// width in device pixels. Each column keeps its highest and lowest values, so no spike is hidden. Non-finite
/// values interrupt the line and are listed.
ScreenLines linesOnScreen(const Curve& curve, Curve::Values which, const AxisScale& x, const AxisScale& y,
                          const QRectF& plot, int columns);

/// The lines of one curve as last drawn. While the scales stay and points are only appended, reduces only new
/// points and keeps the rest. The highest and lowest values of every column equal those of a complete
/// reduction.
class LineCache
{
public:
    const ScreenLines& lines(const std::shared_ptr<const Curve>& curve, Curve::Values which,
                             const AxisScale& x, const AxisScale& y, const QRectF& plot, int columns);

private:
    bool extend();

    std::shared_ptr<const Curve> m_curve; ///< Kept alive, so its address is not reused.
    Curve::Values m_which = Curve::Values::Measured;
    double m_smoothing = 0;
    AxisScale m_x, m_y;
    QRectF m_plot;
    int m_columns = 0;
    std::size_t m_size = 0;  ///< Points seen.
    std::size_t m_extra = 0; ///< Approximate number of points drawn since.
    ScreenLines m_lines;
};

/// The position of a value in the plot. A logarithmic axis has no zero: such values are drawn on the bottom
/// edge.
double xInPlot(double value, const AxisScale& x, const QRectF& plot);
double yInPlot(double value, const AxisScale& y, const QRectF& plot);

} // namespace sparserl
