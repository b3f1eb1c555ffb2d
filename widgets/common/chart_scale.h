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
};

struct AxisTick
{
    double value = 0;
    QString label; ///< Empty for minor ticks.
};

/// Ticks at 1, 2, 2.5 or 5 times a power of ten (powers of ten with minor ticks between where logarithmic);
/// about `wanted` labels inside [low, high]. Labels of one axis share their number of decimals and their unit
/// prefix.
QList<AxisTick> niceTicks(const AxisScale& scale, int wanted);

/// Widens [low, high] by `share` on each side, or to something visible where it is empty.
void padRange(AxisScale& scale, double share);

} // namespace sparserl
