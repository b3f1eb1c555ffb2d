// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curve.h"
#include "widgets/common/chart_scale.h"

#include <QList>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>

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

/// Where a value is in the plot. A logarithmic axis has no zero: such values sit on the bottom edge rather
/// than vanish.
double xInPlot(double value, const AxisScale& x, const QRectF& plot);
double yInPlot(double value, const AxisScale& y, const QRectF& plot);

} // namespace sparserl
