// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/heat.h"

#include "widgets/common/translate.h"

#include <algorithm>

namespace sparserl {

const std::vector<HeatCounter>& heatCounters()
{
    static const std::vector<HeatCounter> counters{
        {tr("Warp instructions"), tr("Instructions that warps issued on the line."),
         [](const LineCounters& c) { return static_cast<double>(c.warpInstructions); }},
        {tr("Global sectors"),
         tr("32-byte sectors that loads, stores and atomics requested; fewer is better."),
         [](const LineCounters& c) { return static_cast<double>(c.globalSectors); }},
        {tr("DRAM sectors"), tr("Sectors that missed both caches."),
         [](const LineCounters& c) { return static_cast<double>(c.dramSectors); }},
        {tr("Idle lanes"), tr("Lanes that were masked off while the warp ran: the cost of divergence."),
         [](const LineCounters& c) {
             return std::max(0.0, 32.0 * static_cast<double>(c.warpInstructions) -
                                      static_cast<double>(c.threadInstructions));
         }},
        {tr("Divergent branches"), tr("Branches that split a warp."),
         [](const LineCounters& c) { return static_cast<double>(c.divergentBranches); }},
        {tr("Bank conflicts"), tr("Extra passes over shared memory."),
         [](const LineCounters& c) { return static_cast<double>(c.bankConflicts); }},
        {tr("Atomics"), tr("Atomic operations."),
         [](const LineCounters& c) { return static_cast<double>(c.atomics); }},
    };
    return counters;
}

std::map<int, LineHeat> heatByLine(const std::vector<LineCounters>& lines, const HeatCounter& counter)
{
    std::map<int, LineHeat> heat;
    double total = 0, hottest = 0;
    for (const LineCounters& line : lines) {
        const double value = counter.value(line);
        if (line.line <= 0 || value <= 0)
            continue;
        LineHeat& entry = heat[line.line];
        entry.value += value;
        total += value;
        hottest = std::max(hottest, entry.value);
    }
    for (auto& [line, entry] : heat) {
        entry.share = entry.value / total;
        entry.heat = entry.value / hottest;
    }
    return heat;
}

} // namespace sparserl
