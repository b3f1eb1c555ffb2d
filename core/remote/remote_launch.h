// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "project/run/launch.h"
#include "remote/remote_host.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// What `sparserl doctor` says of another machine.
struct RemoteMachine
{
    std::string version;
    struct Item
    {
        std::string key, title, level, sentence;
    };
    std::vector<Item> items;
};
/// Asks a host what it is; fails with cause and remedy where it is not reached or has no program.
Result<RemoteMachine> askHost(const RemoteHost& host);

/// Makes a run of this project that works on a host: the folder here with its mark, everything that it needs
/// sent over, a worker started there by a follower, which is a process of its own here (`program remote
/// follow RUN`). Fails before anything is made where the host is not reached. A run that could not be sent
/// stays queued, with its cause; resumeRemote() tries again.
Result<WorkerInfo> launchRemote(Project& project, RunConfig config, const RemoteHost& host,
                                const std::filesystem::path& program, const CancelToken& cancel = {},
                                const Progress& progress = {});
/// Starts a worker there again, from the last checkpoint; sends what is missing there.
Result<WorkerInfo> resumeRemote(const std::filesystem::path& run, const std::filesystem::path& program,
                                const CancelToken& cancel = {}, const Progress& progress = {});
/// Fails with a sentence where nothing may be asked of the machine that a run's mark names: in a project that
/// is not trusted, of a host that is not confirmed, for a run that is not on record or a copy of one. Asked
/// before a command is put into the run's control file.
Status requireOwnRun(const std::filesystem::path& run);
/// Sees that a follower lives: for who sends a command, or wants to see a run again. `anew`: one that waits
/// between two attempts is replaced, so that it tries now. Nothing is done for a run that has ended.
Status ensureFollower(const std::filesystem::path& run, const std::filesystem::path& program,
                      bool anew = false);

} // namespace sparserl
