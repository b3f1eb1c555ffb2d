// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu_info.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sparserl {

/// Lower bounds for times on a GPU (docs/design.md 5.3).
struct GpuFloor
{
    double launchMicroseconds = 0;     ///< Measured time of a call with one empty kernel.
    double nextLaunchMicroseconds = 0; ///< Measured increase per additional launch of a call.
    double l2GBps = 0, dramGBps = 0;   ///< Rates from the GPU's clocks and widths, not measured.
    double l2Bytes = 0;

    /// Returns the rates from a GPU's description: memory clock times bus width for DRAM, and 64 bytes per
    /// clock and SM for L2, which is more than any kernel has reached.
    static GpuFloor of(const GpuInfo& info);
    /// Returns the lower bound for `launches` kernels that move at least these bytes: from L2 up to its
    /// capacity, the rest from DRAM.
    double microseconds(int launches, std::int64_t compulsoryBytes) const;
};

/// What is known when a time is judged. Unknown times are 0.
struct SpeedFacts
{
    double microseconds = 0;
    double floorMicroseconds = 0;
    double baselineMicroseconds = 0;     ///< Time of the best cuSPARSE CSR routine.
    double bestVerifiedMicroseconds = 0; ///< Fastest time on this matrix that a fresh process confirmed.
    bool clocksAgree = true;             ///< GPU events and the host clock agree.
};

constexpr double suspiciousFloorShare = 0.95;
constexpr double surprisingOverBest = 1.3;
constexpr double surprisingOverBaseline = 3;

/// Returns why a time must be measured again before it is trusted, or nullopt. A program that is not faster
/// than a verified program is never surprising, whatever its speed-up over the baseline is.
std::optional<std::string> surprising(const SpeedFacts& facts);
/// Returns why a time is rejected although a fresh process confirmed it, or nullopt.
std::optional<std::string> impossible(const SpeedFacts& facts);

} // namespace sparserl
