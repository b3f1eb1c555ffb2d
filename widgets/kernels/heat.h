// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <QString>
#include <map>
#include <vector>

namespace sparserl {

/// A counter of the simulator that the source can be coloured by.
struct HeatCounter
{
    QString name, help;
    double (*value)(const LineCounters&) = nullptr;
};
const std::vector<HeatCounter>& heatCounters();

/// One source line under a counter.
struct LineHeat
{
    double value = 0;
    double share = 0; ///< Of the program's total, in [0, 1].
    double heat = 0;  ///< Of the hottest line, in [0, 1].
};
/// By line number (from 1); lines without a count are left out. Several records of one line are summed.
std::map<int, LineHeat> heatByLine(const std::vector<LineCounters>& lines, const HeatCounter& counter);

} // namespace sparserl
