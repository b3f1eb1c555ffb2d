// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/cost_model.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace sparserl::sim {

LaunchTime launchTime(const DeviceModel& model, const LaunchStatistics& statistics, int blocksPerSm,
                      double residentShare)
{
    LaunchTime result;
    std::int64_t dramSectors = 0;
    for (const LineCounters& line : statistics.lines)
        dramSectors += line.dramSectors;
    const double resident = residentShare * static_cast<double>(statistics.distinctSectors);
    const double dram = std::max(0.0, static_cast<double>(dramSectors) - resident);
    const double l2 = static_cast<double>(statistics.l2Sectors);
    // Chains that waited for DRAM wait for L2 instead where the data is resident.
    const double savedShare = l2 > 0 ? std::min(1.0, std::min(resident, double(dramSectors)) / l2) : 0;
    const double latencyScale = 1 - savedShare * (1 - model.l2Latency / model.dramLatency);

    struct Slot
    {
        double free;
        int order, sm;
        bool operator>(const Slot& other) const
        {
            return free != other.free ? free > other.free : order > other.order;
        }
    };
    std::priority_queue<Slot, std::vector<Slot>, std::greater<Slot>> slots;
    const int depth = static_cast<int>(std::min<std::size_t>(
        std::max(1, blocksPerSm), statistics.blocks.size() / std::max(1, model.smCount) + 1));
    for (int k = 0; k < depth; ++k) {
        for (int sm = 0; sm < model.smCount; ++sm)
            slots.push({0, k * model.smCount + sm, sm});
    }
    std::vector<double> last(model.smCount, 0), busy(model.smCount, 0), l1(model.smCount, 0);
    for (const BlockTime& block : statistics.blocks) {
        Slot slot = slots.top();
        slots.pop();
        const double scaled = static_cast<double>(block.latency) * latencyScale;
        slot.free += std::max(scaled, static_cast<double>(block.throughput));
        last[slot.sm] = std::max(last[slot.sm], slot.free);
        busy[slot.sm] += static_cast<double>(block.throughput);
        l1[slot.sm] += static_cast<double>(block.l1);
        slots.push(slot);
    }
    double longest = 0, sum = 0;
    int busiest = 0;
    for (int sm = 0; sm < model.smCount; ++sm) {
        const double end = std::max(last[sm], busy[sm]);
        sum += end;
        if (end > longest) {
            longest = end;
            busiest = sm;
        }
    }
    result.imbalance = sum > 0 ? longest * model.smCount / sum : 1;
    const double clocksPerMicrosecond = model.clockGHz * 1e3;
    const double smTime = longest / clocksPerMicrosecond;
    const double l2Time = l2 * 32 / (model.l2GBps * 1e3);
    const double dramTime = dram * 32 / (model.dramGBps * 1e3);
    const double atomicTime =
        std::max(static_cast<double>(statistics.atomicSectors) / model.atomicsPerClock,
                 static_cast<double>(statistics.hottestAtomic) * model.sameAddressAtomicClocks) /
        clocksPerMicrosecond;
    const double times[] = {smTime, l2Time, dramTime, atomicTime};
    const double most = *std::max_element(std::begin(times), std::end(times));
    if (most <= 0) {
        result.boundBy = "launch";
        return result;
    }
    double norm = 0;
    for (double time : times) {
        const double ratio = time / most;
        norm += ratio * ratio * ratio * ratio;
    }
    result.microseconds = most * std::sqrt(std::sqrt(norm));
    if (most == smTime)
        result.boundBy = last[busiest] > busy[busiest]  ? "latency"
                         : l1[busiest] >= busy[busiest] ? "l1"
                                                        : "issue";
    else
        result.boundBy = most == dramTime ? "dram" : most == l2Time ? "l2" : "atomics";
    return result;
}

double fillTime(const DeviceModel& model, std::int64_t bytes)
{
    return model.fillMicroseconds + static_cast<double>(bytes) / (model.l2GBps * 1e3);
}

} // namespace sparserl::sim
