// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "project/files/project.h"
#include "project/run/run_directory.h"
#include "remote/inventory.h"
#include "remote/remote_host.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// A file to send, and its path in the remote project folder.
struct ShippedFile
{
    std::filesystem::path source;
    std::string target; ///< Path below the remote project folder, with '/' between folders.
    /// Send it even if a file of the same size exists at `target`, because it may have changed.
    bool always = false;
    bool operator==(const ShippedFile&) const = default;
};

/// Returns the remote folder for a project, below the host's folder. Its name consists of the project's name
/// and a hash of the project's local path and folder identity, so that another project at the same path gets
/// another folder.
std::string remoteProjectFolder(const RemoteHost& host, const std::filesystem::path& project);

/// Lists all files that a worker needs to start this run on another machine: the project's list of matrices
/// (rewritten in `scratch` without local paths), the caches of these matrices, the SFT set, `policy`, and the
/// run's own folder. Caches, programs and policies are named after their contents, so files with equal names
/// and sizes are equal. The run's run.toml and run.identity come last, because they complete the run.
Result<std::vector<ShippedFile>> shipmentOf(Project& project, const RunDirectory& run,
                                            const RunIdentity& identity, const ShippedPolicy& policy,
                                            const std::filesystem::path& scratch,
                                            const CancelToken& cancel = {}, const Progress& progress = {});

/// Sends the files that are missing on the host, with rsync if both machines have it, otherwise with tar. The
/// files of an existing remote run stay unchanged; only checkpoints that are newer than all of its own are
/// added. Fails if inventory() has not claimed the remote run's folder for the run, or if a file would be
/// written outside the project's remote folder.
Status ship(const RemoteHost& host, const std::string& folder, const std::vector<ShippedFile>& files,
            const RemoteInventory& there, const RunIdentity& run, const CancelToken& cancel = {},
            const Progress& progress = {});

} // namespace sparserl
