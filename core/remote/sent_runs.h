// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/run/remote_mark.h"
#include "remote/remote_host.h"

#include <filesystem>
#include <optional>
#include <string>

// A record, in the user's settings, of the runs that this machine has sent to other machines. The mark in a
// run's folder (project/run/remote_mark.h) also names a place on another machine, but a project may come from
// anyone, so a mark alone never authorises access to that place.
namespace sparserl {

struct SentRun
{
    std::string host, run, identity; ///< As in RemoteMark.
    std::string home, homeIdentity;  ///< The path and the folderIdentity() of the local project.
    /// Identity of the run's local folder, which survives renaming; empty: unknown.
    std::string folderIdentity;
    bool operator==(const SentRun&) const = default;
};

/// Returns the file of the record, which has one line per run: $XDG_CONFIG_HOME/sparserl/sent-runs, where
/// XDG_CONFIG_HOME defaults to ~/.config.
std::filesystem::path sentRunsFile();

/// Finds the record of the run that a mark names. Returns nullopt if this machine has not sent that run.
/// Fails if the file cannot be read.
Result<std::optional<SentRun>> sentRun(const RemoteMark& mark);
/// Records that the run with this mark belongs to the project at `project` and has the local folder `run`.
/// Replaces an older record.
Status recordSentRun(const RemoteMark& mark, const std::filesystem::path& project,
                     const std::filesystem::path& run);
/// Returns whether a project is the folder from which the run was sent, or now has that folder's path.
bool isHomeOf(const SentRun& sent, const std::filesystem::path& project);
/// Returns whether a run's local folder is a copy, made alone or with its project, of a folder that still
/// exists. A copy can be viewed, but only the original can act on the run. If a project was moved, or was
/// restored at its old path, its runs are not copies.
bool isOfACopy(const std::filesystem::path& run, const SentRun& sent);
/// Fails if the run that a mark names is not on record, or if its local folder `run` is a copy. Call it
/// before any query, follower or command for the remote run.
Status requireSent(const std::filesystem::path& run, const RemoteMark& mark);
/// Records the remote run that the mark in a local folder names as a run of this user. Fails if the mark does
/// not name a run in the folder of a confirmed host, or if the local folder is a copy.
Status adoptRun(const std::filesystem::path& run);

/// Returns whether a path on a host has the form FOLDER/PROJECT/runs/RUN, where FOLDER is the host's folder.
/// A path with ".." or similar parts does not.
bool isRunOf(const RemoteHost& host, const std::string& run);

} // namespace sparserl
