// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace sparserl {

// Numbers for columns: constant decimals and unit. "–": none.

QString columnRatio(double ratio);               ///< "12.30×"
QString columnMicroseconds(double microseconds); ///< "1,234.50 µs"
QString columnReward(double reward);             ///< "-0.125"

} // namespace sparserl
