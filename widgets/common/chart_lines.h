// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QPointF>
#include <QPolygonF>
#include <functional>

namespace sparserl {

/// A curve reduced to what a screen can show, in pixels.
struct ScreenLines
{
    QList<QPolygonF> pieces; ///< One per run of finite points; per pixel column first, lowest, highest, last.
    QList<double> nonFinite; ///< x of NaN or infinite values, at most one a column.
};

/// Reduces `points` (ascending x) to at most four points per pixel column. The highest and the lowest value
/// of every column stay, so no spike can hide, and a value that is not finite breaks the line and is listed.
ScreenLines decimateToScreen(const QList<QPointF>& points, double xLow, double xHigh,
                             const std::function<double(double)>& xToPixel,
                             const std::function<double(double)>& yToPixel);

} // namespace sparserl
