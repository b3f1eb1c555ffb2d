// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sparserl {

/// The current activity of a worker, for display only (the lock shows liveness). File `heartbeat.json` of the
/// run directory.
struct Heartbeat
{
    double t = 0; ///< Unix seconds of writing; set in writeHeartbeat if 0.
    std::int64_t pid = 0;
    std::string host;
    std::string phase;        ///< "sampling 37/64", "compiling 12/64": displayed unchanged.
    double phaseFraction = 0; ///< Completed fraction of this phase, in [0, 1]; negative: unknown.
    std::int64_t step = 0, totalSteps = 0;
    double secondsLeft = -1; ///< For the whole stage; negative: unknown.
};

/// Replaces the heartbeat by rename, without fsync. Call it at most about twice a second.
Status writeHeartbeat(const std::filesystem::path& runDirectory, Heartbeat heartbeat);
/// nullopt if it is missing or unreadable.
std::optional<Heartbeat> readHeartbeat(const std::filesystem::path& runDirectory);

} // namespace sparserl
