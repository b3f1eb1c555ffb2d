// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "project/run/launch.h"
#include "remote/remote_host.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// The result of `sparserl doctor` on another machine.
struct RemoteMachine
{
    std::string version;
    struct Item
    {
        std::string key, title, level, sentence;
    };
    std::vector<Item> items;
};
/// Runs `sparserl doctor` on a host. If the host is unreachable or does not have the program, the Error
/// states the cause and a remedy.
Result<RemoteMachine> askHost(const RemoteHost& host);

/// Creates a run of this project on a host: creates the local folder with its mark, sends all data to the
/// host, and starts a follower, a separate local process (`program remote follow RUN`) that starts the worker
/// on the host. If the host is unreachable, fails before creating anything. If sending fails, the run stays
/// queued with the reason, and resumeRemote() can try again.
Result<WorkerInfo> launchRemote(Project& project, RunConfig config, const RemoteHost& host,
                                const std::filesystem::path& program, const CancelToken& cancel = {},
                                const Progress& progress = {});
/// Sends missing files and starts a worker on the host, which continues from the last checkpoint.
Result<WorkerInfo> resumeRemote(const std::filesystem::path& run, const std::filesystem::path& program,
                                const CancelToken& cancel = {}, const Progress& progress = {});
/// Fails if the machine in a run's mark must not be contacted, because the project is not trusted, the host
/// is not confirmed, the run is not on record, or the folder is a copy of the run. Call it before adding a
/// command to the run's control file.
Status requireOwnRun(const std::filesystem::path& run);
/// Starts a follower of a run if none is running, for callers that send a command or need current data. With
/// `anew`, replaces a follower that waits for its next attempt to connect, so that the attempt is made at
/// once. Does nothing for a run that has ended.
Status ensureFollower(const std::filesystem::path& run, const std::filesystem::path& program,
                      bool anew = false);

} // namespace sparserl
