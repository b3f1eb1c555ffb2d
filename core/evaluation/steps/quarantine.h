// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu_info.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sparserl {

/// Times that no program on a GPU can beat (docs/design.md 5.3).
struct GpuFloor
{
    double launchMicroseconds = 0;     ///< Of a call whose one kernel does nothing, measured.
    double nextLaunchMicroseconds = 0; ///< What every further launch of a call adds, measured.
    double l2GBps = 0, dramGBps = 0;   ///< From the data sheet side: clock, width.
    double l2Bytes = 0;

    /// Rates of a GPU as it describes itself: memory clock times bus width, and 64 bytes per clock and SM out
    /// of L2, which is more than any kernel has seen.
    static GpuFloor of(const GpuInfo& info);
    /// `launches` kernels that move these bytes at least: from L2 as far as it reaches, the rest from memory.
    double microseconds(int launches, std::int64_t compulsoryBytes) const;
};

/// What is known when a time is judged. Zero where unknown.
struct SpeedFacts
{
    double microseconds = 0;
    double floorMicroseconds = 0;
    double baselineMicroseconds = 0;     ///< Best cuSPARSE CSR routine.
    double bestVerifiedMicroseconds = 0; ///< Fastest on this matrix that a fresh process found again.
    bool clocksAgree = true;             ///< Events and the host's clock.
};

constexpr double suspiciousFloorShare = 0.95;
constexpr double surprisingOverBest = 1.3;
constexpr double surprisingOverBaseline = 3;

/// Why a time must be measured again before it is believed; nothing: it need not. A program no faster than
/// one that was verified is no surprise, whatever it is over the baseline.
std::optional<std::string> surprising(const SpeedFacts& facts);
/// Why a time is not believed although a fresh process found it again.
std::optional<std::string> impossible(const SpeedFacts& facts);

} // namespace sparserl
