// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sparserl {

/// What a worker is doing now, for display only (liveness is the lock). File `heartbeat.json` of the run
/// directory.
struct Heartbeat
{
    double t = 0; ///< Unix seconds when written; filled in by writeHeartbeat if 0.
    std::int64_t pid = 0;
    std::string host;
    std::string phase;        ///< "sampling 37/64", "compiling 12/64": shown as it is.
    double phaseFraction = 0; ///< Done part of this phase, in [0, 1]; negative: unknown.
    std::int64_t step = 0, totalSteps = 0;
    double secondsLeft = -1; ///< Of the whole stage; negative: unknown.
};

/// Replaces the heartbeat by rename, without fsync. Call at most about twice a second.
Status writeHeartbeat(const std::filesystem::path& runDirectory, Heartbeat heartbeat);
/// Nothing if there is none or it is unreadable.
std::optional<Heartbeat> readHeartbeat(const std::filesystem::path& runDirectory);

} // namespace sparserl
