// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/run/remote_mark.h"
#include "remote/remote_host.h"

#include <filesystem>
#include <optional>
#include <string>

// Where this machine has sent its runs: a file of the user's settings. The mark in a run's folder
// (project/run/remote_mark.h) names a place there, too, but a project may come from anybody: nothing is
// written, asked or steered there on the word of a mark alone.
namespace sparserl {

struct SentRun
{
    std::string host, run, identity; ///< As RemoteMark has them.
    std::string home, homeIdentity;  ///< The project here: its place and folderIdentity().
    std::string folderIdentity; ///< Of the run's own folder here, which may be renamed; empty: not known.
    bool operator==(const SentRun&) const = default;
};

/// The list, a line each: $XDG_CONFIG_HOME/sparserl/sent-runs, or below ~/.config.
std::filesystem::path sentRunsFile();

/// What is on record of a mark's run; nothing where this machine has not sent it there. An Error says why the
/// list cannot be read.
Result<std::optional<SentRun>> sentRun(const RemoteMark& mark);
/// Puts the mark of the run at `run` on record, as one of the project at `project`; replaces what is known of
/// it.
Status recordSentRun(const RemoteMark& mark, const std::filesystem::path& project,
                     const std::filesystem::path& run);
/// Whether a project is in the place, or is the folder, that the run was sent from.
bool isHomeOf(const SentRun& sent, const std::filesystem::path& project);
/// Whether a run's folder here is a copy, alone or with its project, and the original is still there and has
/// the run: the copy may be looked at, but what is done there is the original's. A project that was moved, or
/// restored in its place, goes on with what it had.
bool isOfACopy(const std::filesystem::path& run, const SentRun& sent);
/// Fails with a sentence where a mark's run is not on record, or is another folder's. `run`: its folder here.
/// Whatever asks, follows or steers a run there is held to this.
Status requireSent(const std::filesystem::path& run, const RemoteMark& mark);
/// The user says that a mark's run is theirs: puts it on record. Fails for one that names no run in the
/// folder of a confirmed host, and for one whose original is still there.
Status adoptRun(const std::filesystem::path& run);

/// Whether a run there lies where runs of a host do: FOLDER/PROJECT/runs/RUN, without detours.
bool isRunOf(const RemoteHost& host, const std::string& run);

} // namespace sparserl
