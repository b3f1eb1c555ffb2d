// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_scale.h"

#include <QList>
#include <QString>

namespace sparserl {

/// "26 Nov 23:05:12": Unix seconds by this machine's clock.
QString dateText(double seconds);
/// At most about `wanted` ticks in [low, high], Unix seconds, at whole minutes, hours or days of this
/// machine's clock. A tick at midnight has the day, others the time.
QList<AxisTick> dateTicks(double low, double high, int wanted);
/// What the ticks leave out: the day or the year of the range.
QString dateTitle(double low, double high);

} // namespace sparserl
