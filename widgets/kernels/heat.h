// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <QString>
#include <map>
#include <vector>

namespace sparserl {

/// A simulator counter for colouring the source.
struct HeatCounter
{
    QString name, help;
    double (*value)(const LineCounters&) = nullptr;
};
const std::vector<HeatCounter>& heatCounters();

/// The values of a counter for one source line.
struct LineHeat
{
    double value = 0;
    double share = 0; ///< Share of the program's total, in [0, 1].
    double heat = 0;  ///< Relative to the hottest line, in [0, 1].
};
/// Returns the heat of each line, by line number (from 1). Omits lines without a count, and adds up several
/// records of one line.
std::map<int, LineHeat> heatByLine(const std::vector<LineCounters>& lines, const HeatCounter& counter);

} // namespace sparserl
