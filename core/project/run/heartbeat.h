// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sparserl {

/// The current activity of a worker, from heartbeat.json in the run directory. It is only for display; the
/// worker's lock shows whether the worker is alive.
struct Heartbeat
{
    double t = 0; ///< Time of writing in Unix seconds; writeHeartbeat() sets it if it is 0.
    std::int64_t pid = 0;
    std::string host;
    std::string phase;        ///< Text to display, such as "sampling 37/64" or "compiling 12/64".
    double phaseFraction = 0; ///< Fraction of this phase that is done, in [0, 1]; negative: unknown.
    std::int64_t step = 0, totalSteps = 0;
    double secondsLeft = -1; ///< Estimate for the whole stage; negative: unknown.
};

/// Replaces the heartbeat by renaming, without fsync. Call it at most about twice a second.
Status writeHeartbeat(const std::filesystem::path& runDirectory, Heartbeat heartbeat);
/// Reads the heartbeat. Returns nullopt if it is missing or unreadable.
std::optional<Heartbeat> readHeartbeat(const std::filesystem::path& runDirectory);

} // namespace sparserl
