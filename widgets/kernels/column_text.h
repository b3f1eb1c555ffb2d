// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace sparserl {

// Numbers as they stand below one another in a column: always as many decimals, one unit. "–": there is none.

QString columnRatio(double ratio);               ///< "12.30×"
QString columnMicroseconds(double microseconds); ///< "1,234.50 µs"
QString columnReward(double reward);             ///< "-0.125"

} // namespace sparserl
