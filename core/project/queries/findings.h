// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/device_model.h"
#include "verdict/record.h"

#include <vector>

namespace sparserl {

/// A resource that may limit the time of a call.
enum class TimeLimit
{
    Launch,  ///< Kernel launches.
    Dram,    ///< Bytes between DRAM and L2.
    L2,      ///< Bytes between L2 and the SMs.
    L1,      ///< Bytes between L1 and the registers.
    Issue,   ///< Warp instructions.
    Latency, ///< None of these resources: there is too little concurrent work.
    Count
};

/// The time that each resource alone would need at the device's rates, as a share of the time of a call. The
/// share of Latency is the remainder after the largest of the other shares. All shares except Launch are
/// computed from the counters per line and are 0 without them.
struct TimeShares
{
    double of[static_cast<std::size_t>(TimeLimit::Count)] = {};
    TimeLimit largest = TimeLimit::Latency;
    double operator[](TimeLimit limit) const { return of[static_cast<std::size_t>(limit)]; }
};

enum class FindingKind
{
    Limiter,         ///< `limit` takes the share `value` of the time, most of it at `line`.
    Uncoalesced,     ///< Each warp-level memory instruction of the line needs `value` sectors.
    Divergence,      ///< The share `value` of the lanes is idle, most of them at `line`.
    DivergentBranch, ///< A branch in the line has split a warp `value` times.
    BankConflicts,   ///< Shared memory needs `value` additional passes, most of them at `line`.
    Atomics,         ///< There are `value` atomic operations, most of them at `line`.
    Spills,          ///< Each thread uses `value` bytes of local memory.
    LowOccupancy,    ///< The share `value` of the possible warps is resident.
    MoreBytes,       ///< DRAM traffic is `value` times the compulsory bytes.
    NeverPaysOff     ///< Set-up takes `value` us, and the program is no faster than the baseline.
};

/// A performance problem of a program, with its location.
struct Finding
{
    FindingKind kind = FindingKind::Limiter;
    TimeLimit limit = TimeLimit::Latency; ///< Only for a Limiter.
    int line = 0;                         ///< Line in the program text, from 1; 0: none.
    double value = 0;
};

/// Returns the model of the device on which a record was measured, or null if that device is not declared.
const DeviceModel* deviceModelOf(const VerdictRecord& record);
TimeShares timeShares(const VerdictRecord& record, const DeviceModel& model);
/// Returns the findings about a verdict, the most important first: the limiter, then its location and other
/// costs. Returns none if the program was not timed.
std::vector<Finding> findingsOf(const VerdictRecord& record, const DeviceModel& model);

/// The parameters of a roofline. At an intensity of x FLOP/byte, a program can reach min(x * GB/s, peak)
/// GFLOPS.
struct Roofline
{
    double dramGBps = 0, l2GBps = 0;
    /// Peak for the element type. A multiply-add counts as two operations. In single precision, an SM has 128
    /// lanes.
    double peakGflops = 0;
};
Roofline rooflineOf(const DeviceModel& model, ElementType type = ElementType::F32);

} // namespace sparserl
