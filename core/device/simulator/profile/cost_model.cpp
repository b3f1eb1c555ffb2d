// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/profile/cost_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace sparserl::sim {

namespace {

constexpr double ring = 8;
constexpr double sectorBytes = 32;

/// The blocks of a launch that count, and where they stand among each other.
struct Kept
{
    struct Group
    {
        double clocks = 0; ///< Of the chain of one block.
        double count = 0;
        double last = 0; ///< Position among the blocks that are kept.
    };
    std::vector<Group> groups;
    double blocks = 0;
};

/// Clocks of the chain of one block of each class.
std::vector<double> chainClocks(const DeviceModel& model, const LaunchProfile& launch, double resident)
{
    const double latency[] = {
        model.clockScale,    model.l1Latency,      model.l2Latency,     model.dramLatency * (1 - resident),
        model.sharedLatency, model.barrierLatency, model.atomicLatency, model.wavefrontLatency};
    std::vector<double> clocks;
    for (const BlockClass& group : launch.classes) {
        clocks.push_back(model.blockClocks);
        for (std::size_t i = 0; i < group.steps.size(); ++i)
            clocks.back() += group.steps[i] * latency[i];
    }
    return clocks;
}

/// How many blocks of a class stand up to a position, if they lie evenly between its first and last one.
double countUpTo(const BlockClass& group, double position)
{
    const double range = group.last - group.first;
    const double share = range > 0 ? (position - group.first) / range : position >= group.first ? 1 : 0;
    return group.count * std::clamp(share, 0.0, 1.0);
}

/// Without the blocks that take at most `least` clocks.
Kept kept(const LaunchProfile& launch, const std::vector<double>& clocks, double least)
{
    Kept result;
    for (std::size_t i = 0; i < clocks.size(); ++i) {
        if (clocks[i] <= least)
            continue;
        Kept::Group group{clocks[i], launch.classes[i].count, -1};
        for (std::size_t j = 0; j < clocks.size(); ++j)
            group.last += clocks[j] > least ? countUpTo(launch.classes[j], launch.classes[i].last) : 0;
        result.blocks += group.count;
        result.groups.push_back(group);
    }
    return result;
}

/// All blocks, and the launch without those that return nearly at once where others work: a launch takes no
/// less time for blocks that do nothing, which an average over all blocks would say.
std::vector<Kept> keptBlocks(const LaunchProfile& launch, const std::vector<double>& clocks)
{
    constexpr double idleShare = 0.25; ///< Of the average chain of the blocks that take longer.
    Kept all;
    for (std::size_t i = 0; i < clocks.size(); ++i)
        all.groups.push_back({clocks[i], launch.classes[i].count, launch.classes[i].last});
    all.blocks = static_cast<double>(launch.blocks);
    std::vector<std::size_t> order(clocks.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return clocks[a] > clocks[b]; });
    std::vector<Kept> result{std::move(all)};
    double count = 0, sum = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        count += launch.classes[order[i]].count;
        sum += launch.classes[order[i]].count * clocks[order[i]];
        const double next = clocks[order[i + 1]];
        if (count > 0 && next < idleShare * sum / count)
            result.push_back(kept(launch, clocks, next));
    }
    return result;
}

/// Clocks until the last block ends. Blocks take the slots of the SMs in the order of the grid.
double chainsEnd(const Kept& launch, double slots)
{
    double count = 0, sum = 0, squares = 0;
    for (const Kept::Group& group : launch.groups) {
        count += group.count;
        sum += group.count * group.clocks;
        squares += group.count * group.clocks * group.clocks;
    }
    if (count <= 0)
        return 0;
    const double mean = sum / count;
    const double spread = std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean;
    // Equal blocks run in waves; unequal ones fill gaps.
    const double smooth = std::min(1.0, 4 * spread);
    double end = 0;
    for (const Kept::Group& group : launch.groups) {
        const double before = group.last / slots;
        const double waves =
            (1 - smooth) * std::floor(before) + smooth * (before < 1 ? 0.0 : std::max(0.5, before - 0.5));
        end = std::max(end, waves * mean + group.clocks);
    }
    return end;
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
    const double slots = std::max(1.0, double(model.smCount) * launch.blocksPerSm);
    double end = 0, uneven = 0;
    for (const Kept& blocks : keptBlocks(launch, chainClocks(model, launch, resident))) {
        end = std::max(end, chainsEnd(blocks, slots));
        // Blocks beyond the first wave go where there is room, so the SMs end nearly together.
        uneven = std::max(uneven, std::min(1.0, slots / std::max(1.0, blocks.blocks)));
    }
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
    const Limit limits[] = {{"latency", end / clocksPerMicrosecond},
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
