// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/device_model.h"
#include "verdict/record.h"

#include <vector>

namespace sparserl {

/// What a call's time may be bound by.
enum class TimeLimit
{
    Launch,  ///< Starting kernels.
    Dram,    ///< Bytes between DRAM and L2.
    L2,      ///< Bytes between L2 and the SMs.
    L1,      ///< Bytes between L1 and the registers.
    Issue,   ///< Warp instructions.
    Latency, ///< None of these: too little work is under way at once.
    Count
};

/// Which share of a call's time each limit alone would need, by the rates of the device; Latency: what the
/// largest of them leaves. From the counters per line, so 0 without them (but for Launch).
struct TimeShares
{
    double of[static_cast<std::size_t>(TimeLimit::Count)] = {};
    TimeLimit largest = TimeLimit::Latency;
    double operator[](TimeLimit limit) const { return of[static_cast<std::size_t>(limit)]; }
};

enum class FindingKind
{
    Limiter,         ///< `limit` takes `value` of the time; at `line` most of it.
    Uncoalesced,     ///< `value` sectors for each warp instruction of the line that reads or writes memory.
    Divergence,      ///< `value` of the lanes are idle, at `line` most of them.
    DivergentBranch, ///< `value` times a branch of the line split a warp.
    BankConflicts,   ///< `value` extra passes over shared memory, at `line` most of them.
    Atomics,         ///< `value` atomics, at `line` most of them.
    Spills,          ///< `value` bytes of local memory per thread.
    LowOccupancy,    ///< `value` of the warps that could be resident.
    MoreBytes,       ///< DRAM moves `value` times what any program has to.
    NeverPaysOff     ///< Set-up takes `value` us and the program is no faster than the baseline.
};

/// Something that costs a program time, and where.
struct Finding
{
    FindingKind kind = FindingKind::Limiter;
    TimeLimit limit = TimeLimit::Latency; ///< Of a Limiter.
    int line = 0;                         ///< In the program text, from 1; 0: none.
    double value = 0;
};

/// The model of the device that a record was found on; one that is not declared: null.
const DeviceModel* deviceModelOf(const VerdictRecord& record);
TimeShares timeShares(const VerdictRecord& record, const DeviceModel& model);
/// What stands out, weightiest first: the limiter, then where it and other costs are. Empty where nothing
/// was timed.
std::vector<Finding> findingsOf(const VerdictRecord& record, const DeviceModel& model);

/// The three lines of a roofline: GFLOPS at an intensity x in FLOP/byte are min(x * GB/s, peak).
struct Roofline
{
    double dramGBps = 0, l2GBps = 0;
    /// In the type, a multiply-add counted as two; in single precision 128 lanes an SM.
    double peakGflops = 0;
};
Roofline rooflineOf(const DeviceModel& model, ElementType type = ElementType::F32);

} // namespace sparserl
