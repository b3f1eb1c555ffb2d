// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>

namespace sparserl {

/// Maps data to [0, 1] along one axis, linearly or by logarithm.
struct AxisScale
{
    double low = 0, high = 1;
    bool logarithmic = false;

    double toUnit(double value) const;
    double fromUnit(double unit) const;
    bool operator==(const AxisScale&) const = default;
};

/// Whether each value has its place within half a pixel on both, for axes of this length.
bool looksSame(const AxisScale& a, const AxisScale& b, double pixels);

struct AxisTick
{
    double value = 0;
    QString label;
};

/// The step of 1, 2, 2.5 or 5 times a power of ten that gives about `wanted` ticks over a span; 0 for no
/// span.
double niceStep(double span, int wanted);
/// How many decimals the multiples of a step need: 2.5 and 0.25 are steps too.
int decimalsOf(double step);

/// Ticks of a linear scale at the multiples of its nice step inside [low, high]. Labels share their number of
/// decimals and their unit prefix.
QList<AxisTick> niceTicks(const AxisScale& scale, int wanted);

/// Ends a range where differences of numbers are still numbers.
void limitRange(AxisScale& scale);
/// Widens [low, high] by `share` on each side, or to something visible where it is empty.
void padRange(AxisScale& scale, double share);

} // namespace sparserl
