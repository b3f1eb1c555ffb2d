// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/quarantine.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

GpuFloor GpuFloor::of(const GpuInfo& info)
{
    GpuFloor floor;
    constexpr double l2BytesPerClockAndSm = 64;
    floor.l2GBps = l2BytesPerClockAndSm * info.smCount * info.clockGHz;
    floor.dramGBps = 2 * info.memoryClockGHz * info.memoryBusBits / 8; // Two transfers per clock.
    floor.l2Bytes = static_cast<double>(info.l2Bytes);
    return floor;
}

double GpuFloor::microseconds(int launches, std::int64_t compulsoryBytes) const
{
    const auto bytes = static_cast<double>(compulsoryBytes);
    const double near = std::min(bytes, l2Bytes), far = bytes - near;
    double time = launchMicroseconds + nextLaunchMicroseconds * std::max(0, launches - 1);
    if (l2GBps > 0)
        time += near / (1e3 * l2GBps);
    if (dramGBps > 0)
        time += far / (1e3 * dramGBps);
    return time;
}

std::optional<std::string> impossible(const SpeedFacts& facts)
{
    if (facts.microseconds < suspiciousFloorShare * facts.floorMicroseconds)
        return fmt::format("{:.3g} us is less than the device could need at all ({:.3g} us)",
                           facts.microseconds, facts.floorMicroseconds);
    if (!facts.clocksAgree)
        return "the GPU's events and the host's clock do not agree on the time";
    return std::nullopt;
}

std::optional<std::string> surprising(const SpeedFacts& facts)
{
    if (auto reason = impossible(facts))
        return reason;
    const double time = facts.microseconds, best = facts.bestVerifiedMicroseconds;
    if (best > 0 && time * surprisingOverBest < best)
        return fmt::format("{:.3g} us is {:.2f} times faster than the best verified program ({:.3g} us)",
                           time, best / time, best);
    const bool known = best > 0 && time >= best / 1.05;
    if (facts.baselineMicroseconds > surprisingOverBaseline * time && !known)
        return fmt::format("{:.3g} us is {:.2f} times faster than the best cuSPARSE routine ({:.3g} us)",
                           time, facts.baselineMicroseconds / time, facts.baselineMicroseconds);
    return std::nullopt;
}

} // namespace sparserl
