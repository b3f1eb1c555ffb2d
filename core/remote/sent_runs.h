// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/run/remote_mark.h"
#include "remote/remote_host.h"

#include <filesystem>
#include <optional>
#include <string>

// A record, in the user's settings, of the places to which this machine has sent runs. The mark in a run's
// folder (project/run/remote_mark.h) also names a place, but a project may come from anyone. A mark alone
// never authorizes access to the place.
namespace sparserl {

struct SentRun
{
    std::string host, run, identity; ///< As in RemoteMark.
    std::string home, homeIdentity;  ///< The local project: its place and folderIdentity().
    std::string folderIdentity; ///< Identity of the run's local folder, which may be renamed; empty: unknown.
    bool operator==(const SentRun&) const = default;
};

/// The list, one line per run: $XDG_CONFIG_HOME/sparserl/sent-runs, or below ~/.config.
std::filesystem::path sentRunsFile();

/// The record of a mark's run; nullopt if this machine has not sent it. An Error says why the list cannot be
/// read.
Result<std::optional<SentRun>> sentRun(const RemoteMark& mark);
/// Records the mark of the run at `run` as a run of the project at `project`; replaces an older record.
Status recordSentRun(const RemoteMark& mark, const std::filesystem::path& project,
                     const std::filesystem::path& run);
/// Whether a project is the folder from which the run was sent, or is in its place.
bool isHomeOf(const SentRun& sent, const std::filesystem::path& project);
/// Whether a run's local folder is a copy, alone or with its project, while the original still exists with
/// the run. A copy can be viewed, but actions belong to the original. A project that was moved, or restored
/// in its place, keeps its runs.
bool isOfACopy(const std::filesystem::path& run, const SentRun& sent);
/// Fails if a mark's run is not on record, or belongs to another folder. `run`: its local folder. Required
/// before any query, follower or command for the remote run.
Status requireSent(const std::filesystem::path& run, const RemoteMark& mark);
/// Records a mark's run as the user's own. Fails if it does not name a run in the folder of a confirmed host,
/// or if its original still exists.
Status adoptRun(const std::filesystem::path& run);

/// Whether a path is a valid run on a host: FOLDER/PROJECT/runs/RUN, without detours.
bool isRunOf(const RemoteHost& host, const std::string& run);

} // namespace sparserl
