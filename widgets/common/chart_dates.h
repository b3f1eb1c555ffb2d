// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_scale.h"

#include <QList>
#include <QString>

namespace sparserl {

/// "26 Nov 23:05:12": Unix seconds as local time.
QString dateText(double seconds);
/// Returns about `wanted` ticks or fewer in [low, high] (Unix seconds), at whole minutes, hours or days in
/// local time. Ticks at midnight show the day, other ticks the time.
QList<AxisTick> dateTicks(double low, double high, int wanted);
/// The part of the date that ticks omit: the day or the year of the range.
QString dateTitle(double low, double high);

} // namespace sparserl
