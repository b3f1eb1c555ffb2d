// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "remote/far_limits.h"

#include <filesystem>
#include <functional>
#include <string>

namespace sparserl {

/// Follows a run on another machine until it has ended there and everything is here: brings journal, log,
/// heartbeat and checkpoints, carries commands. Connects again after a broken connection, at first after
/// `shortestPause`, then after twice as long each time. Fails where the other side answers that this run
/// cannot be followed or started there, and where another process follows it.
struct FollowOptions
{
    CancelToken cancel;
    std::function<void(const std::string& sentence)> log; ///< What happens to the connection.
    double shortestPause = 1, longestPause = 60;          ///< Seconds.
    FarLimits limits;                                     ///< What the other machine may write here.
    double silence = 40; ///< A connection that says nothing for so many seconds is given up.
};
Status followRun(const std::filesystem::path& run, const FollowOptions& options);

} // namespace sparserl
