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
    double nextLaunchMicroseconds = 0; ///< Increase per additional launch of a call, measured.
    double l2GBps = 0, dramGBps = 0;   ///< From specifications: clock, width.
    double l2Bytes = 0;

    /// Rates from a GPU's description: memory clock times bus width, and 64 bytes per clock and SM from L2,
    /// which exceeds every measured kernel.
    static GpuFloor of(const GpuInfo& info);
    /// The lower bound for `launches` kernels that move at least these bytes, from L2 up to its capacity, the
    /// rest from memory.
    double microseconds(int launches, std::int64_t compulsoryBytes) const;
};

/// The known facts when a time is judged. Zero if unknown.
struct SpeedFacts
{
    double microseconds = 0;
    double floorMicroseconds = 0;
    double baselineMicroseconds = 0;     ///< Best cuSPARSE CSR routine.
    double bestVerifiedMicroseconds = 0; ///< Fastest on this matrix that a fresh process confirmed.
    bool clocksAgree = true;             ///< Events and the host clock agree.
};

constexpr double suspiciousFloorShare = 0.95;
constexpr double surprisingOverBest = 1.3;
constexpr double surprisingOverBaseline = 3;

/// Why a time must be measured again before it is trusted, or nullopt. A program no faster than a verified
/// one is never surprising, whatever its speedup over the baseline.
std::optional<std::string> surprising(const SpeedFacts& facts);
/// Why a time is rejected although a fresh process confirmed it.
std::optional<std::string> impossible(const SpeedFacts& facts);

} // namespace sparserl
