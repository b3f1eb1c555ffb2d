// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/profile/cost_model.h"

#include <algorithm>
#include <cmath>

namespace sparserl::sim {

namespace {

constexpr double ring = 8;
constexpr double sectorBytes = 32;

struct Chains
{
    double end = 0;  ///< Clocks until the last block ends.
    double mean = 0; ///< Clocks of a block on average.
};

/// Blocks take the slots of the SMs in the order of the grid.
Chains chains(const DeviceModel& model, const LaunchProfile& launch, double resident)
{
    const double latency[] = {
        model.clockScale,    model.l1Latency,      model.l2Latency,     model.dramLatency * (1 - resident),
        model.sharedLatency, model.barrierLatency, model.atomicLatency, model.wavefrontLatency};
    Chains result;
    const auto clocksOf = [&](const BlockClass& group) {
        double clocks = model.blockClocks;
        for (std::size_t i = 0; i < group.steps.size(); ++i)
            clocks += group.steps[i] * latency[i];
        return clocks;
    };
    double count = 0, sum = 0, squares = 0;
    for (const BlockClass& group : launch.classes) {
        const double clocks = clocksOf(group);
        count += group.count;
        sum += group.count * clocks;
        squares += group.count * clocks * clocks;
    }
    if (count <= 0)
        return result;
    result.mean = sum / count;
    const double spread = std::sqrt(std::max(0.0, squares / count - result.mean * result.mean)) / result.mean;
    const double slots = std::max(1.0, double(model.smCount) * launch.blocksPerSm);
    // Equal blocks run in waves; unequal ones fill gaps.
    const double smooth = std::min(1.0, 4 * spread);
    for (const BlockClass& group : launch.classes) {
        const double before = group.last / slots;
        const double waves =
            (1 - smooth) * std::floor(before) + smooth * (before < 1 ? 0.0 : std::max(0.5, before - 0.5));
        result.end = std::max(result.end, waves * result.mean + clocksOf(group));
    }
    return result;
}

} // namespace

double residentShare(const DeviceModel& model, const CallProfile& profile)
{
    const double bytes = profile.matrixBytes + ring * (profile.inputBytes + profile.outputBytes);
    const double room = model.l2Share * static_cast<double>(model.l2Bytes);
    return 1 / (1 + std::pow(bytes / room, model.l2Sharpness));
}

LaunchTime launchTime(const DeviceModel& model, const LaunchProfile& launch, double resident)
{
    LaunchTime result;
    if (launch.classes.empty()) {
        result.boundBy = "launch";
        return result;
    }
    const double clocksPerMicrosecond = model.clockGHz * 1e3;
    const Chains chain = chains(model, launch, resident);
    const double slots = std::max(1.0, double(model.smCount) * launch.blocksPerSm);
    // Blocks beyond the first wave go where there is room, so the SMs end nearly together.
    const double uneven = std::min(1.0, slots / std::max(1.0, static_cast<double>(launch.blocks)));
    WorkCounts work{};
    for (std::size_t i = 0; i < work.size(); ++i) {
        const double mean = launch.total[i] / model.smCount;
        work[i] = mean + uneven * std::max(0.0, launch.busiest[i] - mean);
    }
    const double meanInstructions = launch.total[at(Work::Instructions)] / model.smCount;
    result.imbalance =
        meanInstructions > 0 ? std::max(1.0, work[at(Work::Instructions)] / meanInstructions) : 1;

    const double issue =
        std::max({work[at(Work::Instructions)] / model.issuePerClock,
                  work[at(Work::Special)] * model.specialClocks, work[at(Work::Double)] * model.fp64Clocks,
                  (work[at(Work::Shared)] + work[at(Work::Shuffle)]) * model.sharedClocks +
                      work[at(Work::Memory)] * model.loadClocks});
    const double l1 = work[at(Work::L1Sectors)] / model.l1SectorsPerClock;
    const double fromL2 = work[at(Work::L2Sectors)] / model.l2SectorsPerSmClock;
    const double l2 = launch.total[at(Work::L2Sectors)] * sectorBytes / model.l2GBps / 1e3;
    const double dram =
        launch.total[at(Work::DramSectors)] * (1 - resident) * sectorBytes / model.dramGBps / 1e3;
    const double atomics = std::max({launch.atomicSectors / model.atomicsPerClock,
                                     launch.hottestWord * model.sameWordAtomicClocks,
                                     launch.hottestSector * model.sameSectorAtomicClocks});
    struct Limit
    {
        const char* name;
        double microseconds;
    };
    const Limit limits[] = {{"latency", chain.end / clocksPerMicrosecond},
                            {"issue", issue / clocksPerMicrosecond},
                            {"l1", std::max(l1, fromL2) / clocksPerMicrosecond},
                            {"l2", l2},
                            {"dram", dram},
                            {"atomics", atomics / clocksPerMicrosecond}};
    const Limit& most =
        *std::max_element(std::begin(limits), std::end(limits),
                          [](const Limit& a, const Limit& b) { return a.microseconds < b.microseconds; });
    double norm = 0;
    for (const Limit& limit : limits)
        norm += std::pow(limit.microseconds / most.microseconds, model.overlap);
    result.boundBy = most.name;
    const double ends = model.startClocks + launch.codeInstructions * model.codeClocks;
    result.microseconds = most.microseconds * std::pow(norm, 1 / model.overlap) + ends / clocksPerMicrosecond;
    return result;
}

double fillTime(const DeviceModel& model, std::int64_t bytes)
{
    return model.fillMicroseconds + static_cast<double>(bytes) / (model.l2GBps * 1e3);
}

CallTime callTime(const DeviceModel& model, const CallProfile& profile)
{
    CallTime result;
    const double resident = residentShare(model, profile);
    bool first = true;
    for (const LaunchProfile& launch : profile.launches) {
        const double latency = first ? model.launchMicroseconds : model.nextLaunchMicroseconds;
        first = false;
        result.warm.push_back(launchTime(model, launch, resident));
        result.cold.push_back(launchTime(model, launch, 0));
        result.warmMicroseconds += latency + result.warm.back().microseconds;
        result.coldMicroseconds += latency + result.cold.back().microseconds;
    }
    for (const std::int64_t bytes : profile.fills) {
        result.warmMicroseconds += fillTime(model, bytes);
        result.coldMicroseconds += fillTime(model, bytes);
    }
    if (!profile.launches.empty())
        result.coldMicroseconds += model.coldMicroseconds;
    return result;
}

} // namespace sparserl::sim
