// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "remote/far_limits.h"

#include <filesystem>
#include <functional>
#include <string>

namespace sparserl {

/// Options of followRun().
struct FollowOptions
{
    CancelToken cancel;
    std::function<void(const std::string& sentence)> log; ///< Receives sentences about the connection.
    double shortestPause = 1, longestPause = 60;          ///< Seconds.
    FarLimits limits;                                     ///< Limits for data from the other machine.
    double silence = 40; ///< A connection without data is closed after this many seconds.
};
/// Follows a run on another machine until it has ended and all its data have been transferred: transfers
/// journal, log, heartbeat and checkpoints, and sends commands. Reconnects after a broken connection, first
/// after `shortestPause`, then with pauses that double each time. Fails if the other side reports that the
/// run cannot be followed or started there, or if another process already follows it.
Status followRun(const std::filesystem::path& run, const FollowOptions& options);

} // namespace sparserl
