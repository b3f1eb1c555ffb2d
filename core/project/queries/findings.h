// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/device_model.h"
#include "verdict/record.h"

#include <vector>

namespace sparserl {

/// The resource that may limit a call's time.
enum class TimeLimit
{
    Launch,  ///< Kernel launches.
    Dram,    ///< Bytes between DRAM and L2.
    L2,      ///< Bytes between L2 and the SMs.
    L1,      ///< Bytes between L1 and the registers.
    Issue,   ///< Warp instructions.
    Latency, ///< None of these: too little concurrent work.
    Count
};

/// The share of a call's time that each limit alone would need at the device's rates. Latency is the
/// remainder after the largest. Based on the counters per line, and therefore 0 without them (except Launch).
struct TimeShares
{
    double of[static_cast<std::size_t>(TimeLimit::Count)] = {};
    TimeLimit largest = TimeLimit::Latency;
    double operator[](TimeLimit limit) const { return of[static_cast<std::size_t>(limit)]; }
};

enum class FindingKind
{
    Limiter,         ///< `limit` takes `value` of the time; most of it at `line`.
    Uncoalesced,     ///< `value` sectors per warp-level memory instruction of the line.
    Divergence,      ///< `value` of the lanes are idle, most of them at `line`.
    DivergentBranch, ///< A branch of the line split a warp `value` times.
    BankConflicts,   ///< `value` extra passes over shared memory, most of them at `line`.
    Atomics,         ///< `value` atomics, most of them at `line`.
    Spills,          ///< `value` bytes of local memory per thread.
    LowOccupancy,    ///< `value` of the possible resident warps.
    MoreBytes,       ///< DRAM traffic is `value` times the compulsory bytes.
    NeverPaysOff     ///< Set-up takes `value` us, and the program is no faster than the baseline.
};

/// A performance problem of a program and its location.
struct Finding
{
    FindingKind kind = FindingKind::Limiter;
    TimeLimit limit = TimeLimit::Latency; ///< For a Limiter.
    int line = 0;                         ///< Line in the program text, from 1; 0: none.
    double value = 0;
};

/// The model of a record's device; null if it is not declared.
const DeviceModel* deviceModelOf(const VerdictRecord& record);
TimeShares timeShares(const VerdictRecord& record, const DeviceModel& model);
/// The findings in order of weight: the limiter, then its location and other costs. Empty if nothing was
/// timed.
std::vector<Finding> findingsOf(const VerdictRecord& record, const DeviceModel& model);

/// The parameters of a roofline: GFLOPS at an intensity of x FLOP/byte are min(x * GB/s, peak).
struct Roofline
{
    double dramGBps = 0, l2GBps = 0;
    /// In the element type, with a multiply-add counted as two operations; in single precision 128 lanes per
    /// SM.
    double peakGflops = 0;
};
Roofline rooflineOf(const DeviceModel& model, ElementType type = ElementType::F32);

} // namespace sparserl
