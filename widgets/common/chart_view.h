// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"
#include "widgets/common/chart_scale.h"

namespace sparserl {

/// What part of the data is visible.
struct ChartView
{
    AxisScale x, y, right;

    bool operator==(const ChartView&) const = default;
    const AxisScale& yOf(const ChartSeries& series) const { return series.rightAxis ? right : y; }
};

/// The view that shows all finite data of visible series with a margin; `hidden` holds indices of hidden
/// series.
ChartView fullView(const ChartData& data, const QList<int>& hidden);
/// The y ranges that fit what lies between view.x.low and view.x.high.
void fitY(const ChartData& data, const QList<int>& hidden, ChartView& view);

} // namespace sparserl
