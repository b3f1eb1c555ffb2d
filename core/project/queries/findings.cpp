// SPDX-License-Identifier: Apache-2.0
#include "project/queries/findings.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace sparserl {
namespace {

constexpr double sectorBytes = 32, lanes = 32;
// From where on something is worth a sentence.
constexpr double limiterShare = 0.4, idleShare = 0.25, lowOccupancy = 0.5, moreBytes = 1.3;
constexpr double weight = 0.05; ///< Of all, that a line must have to be named.

using Count = std::function<double(const LineCounters&)>;

double total(const VerdictRecord& record, const Count& count)
{
    double sum = 0;
    for (const LineCounters& line : record.lines)
        sum += count(line);
    return sum;
}

int hottest(const VerdictRecord& record, const Count& count)
{
    const auto most =
        std::max_element(record.lines.begin(), record.lines.end(),
                         [&](const LineCounters& x, const LineCounters& y) { return count(x) < count(y); });
    return most == record.lines.end() || count(*most) <= 0 ? 0 : most->line;
}

/// Sectors of 32 consecutive values.
double coalescedSectors(const VerdictRecord& record)
{
    return lanes * static_cast<double>(sizeOf(record.target.variant.type)) / sectorBytes;
}

double idleLanes(const LineCounters& l)
{
    return std::max(0.0, lanes * static_cast<double>(l.warpInstructions) -
                             static_cast<double>(l.threadInstructions));
}

Count countOf(TimeLimit limit)
{
    switch (limit) {
    case TimeLimit::Dram:
        return [](const LineCounters& l) { return static_cast<double>(l.dramSectors); };
    case TimeLimit::L2:
        return [](const LineCounters& l) { return static_cast<double>(l.globalSectors - l.l1Hits); };
    case TimeLimit::L1:
        return [](const LineCounters& l) { return static_cast<double>(l.globalSectors); };
    default:
        return [](const LineCounters& l) { return static_cast<double>(l.warpInstructions); };
    }
}

} // namespace

const DeviceModel* deviceModelOf(const VerdictRecord& record)
{
    constexpr std::string_view simulated = "simulated ";
    const std::string_view device = record.device;
    if (device.starts_with(simulated))
        return findDeviceModel(device.substr(simulated.size()));
    return device.find("H200") != std::string_view::npos ? findDeviceModel("h200") : nullptr;
}

TimeShares timeShares(const VerdictRecord& record, const DeviceModel& model)
{
    TimeShares shares;
    if (!record.warm || record.warm->median <= 0)
        return shares;
    const double us = record.warm->median;
    const auto share = [&](TimeLimit limit, double microseconds) {
        shares.of[static_cast<std::size_t>(limit)] = microseconds / us;
    };
    share(TimeLimit::Launch, model.launchMicroseconds);
    // What fits stays in L2 from call to call, and these are warm times.
    const double dramBytes = sectorBytes * total(record, countOf(TimeLimit::Dram));
    if (dramBytes > model.l2Share * static_cast<double>(model.l2Bytes))
        share(TimeLimit::Dram, dramBytes / (model.dramGBps * 1e3));
    share(TimeLimit::L2, sectorBytes * total(record, countOf(TimeLimit::L2)) / (model.l2GBps * 1e3));
    const double clocksPerUs = model.clockGHz * 1e3 * model.smCount;
    share(TimeLimit::L1, total(record, countOf(TimeLimit::L1)) / (model.l1SectorsPerClock * clocksPerUs));
    share(TimeLimit::Issue, total(record, countOf(TimeLimit::Issue)) / (model.issuePerClock * clocksPerUs));
    auto* const end = shares.of + static_cast<std::size_t>(TimeLimit::Latency);
    auto* const most = std::max_element(shares.of, end);
    *end = std::max(0.0, 1 - *most);
    shares.largest = *most >= limiterShare ? static_cast<TimeLimit>(most - shares.of) : TimeLimit::Latency;
    return shares;
}

std::vector<Finding> findingsOf(const VerdictRecord& r, const DeviceModel& model)
{
    std::vector<Finding> list;
    if (!r.warm || r.warm->median <= 0)
        return list;
    const bool counted = !r.lines.empty();
    const TimeShares shares = timeShares(r, model);
    if (counted || shares.largest == TimeLimit::Launch)
        list.push_back({FindingKind::Limiter, shares.largest,
                        shares.largest == TimeLimit::Launch ? 0 : hottest(r, countOf(shares.largest)),
                        std::min(1.0, shares[shares.largest])});
    if (r.occupancy > 0 && r.occupancy < lowOccupancy)
        list.push_back({FindingKind::LowOccupancy, {}, 0, r.occupancy});
    if (r.localBytes > 0)
        list.push_back({FindingKind::Spills, {}, 0, static_cast<double>(r.localBytes)});
    if (counted) {
        const double sectors = total(r, countOf(TimeLimit::L1));
        const double coalesced = coalescedSectors(r);
        const LineCounters* worst = nullptr;
        const auto perWarp = [](const LineCounters& l) {
            return static_cast<double>(l.globalSectors) / static_cast<double>(l.warpInstructions);
        };
        // A line has other instructions too, so what it asks for each is at least this scattered.
        for (const LineCounters& l : r.lines)
            if (l.warpInstructions > 0 && static_cast<double>(l.globalSectors) > weight * sectors &&
                perWarp(l) > coalesced && (!worst || l.globalSectors > worst->globalSectors))
                worst = &l;
        if (worst)
            list.push_back({FindingKind::Uncoalesced, {}, worst->line, perWarp(*worst)});
        const double issued = lanes * total(r, countOf(TimeLimit::Issue));
        if (const double idle = total(r, idleLanes); issued > 0 && idle > idleShare * issued)
            list.push_back({FindingKind::Divergence, {}, hottest(r, idleLanes), idle / issued});
        const auto add = [&](FindingKind kind, const Count& count, double least) {
            if (const double all = total(r, count); all > least)
                list.push_back({kind, {}, hottest(r, count), all});
        };
        const double instructions = issued / lanes;
        add(
            FindingKind::BankConflicts, [](const LineCounters& l) { return double(l.bankConflicts); },
            weight * instructions);
        add(
            FindingKind::Atomics, [](const LineCounters& l) { return double(l.atomics); }, 0);
        add(
            FindingKind::DivergentBranch, [](const LineCounters& l) { return double(l.divergentBranches); },
            weight * instructions);
        if (const double bytes = sectorBytes * total(r, countOf(TimeLimit::Dram));
            r.compulsoryBytes > 0 && bytes > moreBytes * static_cast<double>(r.compulsoryBytes))
            list.push_back({FindingKind::MoreBytes,
                            {},
                            hottest(r, countOf(TimeLimit::Dram)),
                            bytes / static_cast<double>(r.compulsoryBytes)});
    }
    if (r.setupMicroseconds > 0 && r.baselineMicroseconds > 0 && r.warm->median >= r.baselineMicroseconds)
        list.push_back({FindingKind::NeverPaysOff, {}, 0, r.setupMicroseconds});
    return list;
}

Roofline rooflineOf(const DeviceModel& model, ElementType type)
{
    constexpr double fp32Lanes = 128; // of an SM, compute capability 8.6 to 10
    const double ofSm = type == ElementType::F64 ? lanes / model.fp64Clocks : fp32Lanes;
    return {model.dramGBps, model.l2GBps, model.smCount * model.clockGHz * ofSm * 2};
}

} // namespace sparserl
