// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>

namespace sparserl {

/// Maps data to [0, 1] along one axis, linearly or logarithmically.
struct AxisScale
{
    double low = 0, high = 1;
    bool logarithmic = false;

    double toUnit(double value) const;
    double fromUnit(double unit) const;
    bool operator==(const AxisScale&) const = default;
};

/// Whether every value has the same position, within half a pixel, on both axes. `pixels`: their length.
bool looksSame(const AxisScale& a, const AxisScale& b, double pixels);

struct AxisTick
{
    double value = 0;
    QString label;
};

/// A step of 1, 2, 2.5 or 5 times a power of ten that yields about `wanted` ticks over a span; 0 for an empty
/// span.
double niceStep(double span, int wanted);
/// The number of decimals for multiples of a step, which may be 2.5 or 0.25.
int decimalsOf(double step);

/// Ticks of a linear scale at the multiples of its nice step inside [low, high]. Labels share their number of
/// decimals and their unit prefix.
QList<AxisTick> niceTicks(const AxisScale& scale, int wanted);

/// Limits a range so that the difference between its ends is finite.
void limitRange(AxisScale& scale);
/// Widens [low, high] by `share` of its length on each side. An empty range gets a length above 0.
void padRange(AxisScale& scale, double share);

} // namespace sparserl
