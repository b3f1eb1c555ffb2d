// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "project/run/launch.h"
#include "remote/remote_host.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// The result of `sparserl doctor` for another machine.
struct RemoteMachine
{
    std::string version;
    struct Item
    {
        std::string key, title, level, sentence;
    };
    std::vector<Item> items;
};
/// Queries a host. If it is unreachable or has no program, the Error has cause and remedy.
Result<RemoteMachine> askHost(const RemoteHost& host);

/// Creates a run of this project on a host: the local folder with its mark, all data sent to the host, and a
/// worker started there by a follower, which is a separate local process (`program remote follow RUN`). If
/// the host is unreachable, fails before creating anything. A run that could not be sent stays queued with
/// the reason; resumeRemote() retries.
Result<WorkerInfo> launchRemote(Project& project, RunConfig config, const RemoteHost& host,
                                const std::filesystem::path& program, const CancelToken& cancel = {},
                                const Progress& progress = {});
/// Restarts a worker there from the last checkpoint, after sending missing files.
Result<WorkerInfo> resumeRemote(const std::filesystem::path& run, const std::filesystem::path& program,
                                const CancelToken& cancel = {}, const Progress& progress = {});
/// Fails if the machine named in a run's mark must not be contacted: the project is not trusted, the host is
/// not confirmed, or the run is not on record or is a copy. Call it before adding a command to the run's
/// control file.
Status requireOwnRun(const std::filesystem::path& run);
/// Ensures that a follower is running, for callers that send a command or want current data. `anew`: replaces
/// a follower that waits between two attempts, which causes an immediate attempt. Does nothing for a run that
/// has ended.
Status ensureFollower(const std::filesystem::path& run, const std::filesystem::path& program,
                      bool anew = false);

} // namespace sparserl
