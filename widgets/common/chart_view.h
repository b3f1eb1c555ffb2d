// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"
#include "widgets/common/chart_scale.h"

#include <QSizeF>

namespace sparserl {

/// The visible part of the data.
struct ChartView
{
    AxisScale x, y, right;

    bool operator==(const ChartView&) const = default;
    const AxisScale& yOf(const ChartSeries& series) const { return series.rightAxis ? right : y; }
};

/// Whether everything has the same position within half a pixel in both views, for a plot of this size.
bool looksSame(const ChartView& a, const ChartView& b, const QSizeF& plot);
/// A view of all finite data of visible series with a margin. `hidden` holds indices of hidden series.
ChartView fullView(const ChartData& data, const QList<int>& hidden);
/// Fits the y ranges to the data between view.x.low and view.x.high.
void fitY(const ChartData& data, const QList<int>& hidden, ChartView& view);

} // namespace sparserl
