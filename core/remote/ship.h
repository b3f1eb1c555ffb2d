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

/// A file to send, and its place in the remote project folder.
struct ShippedFile
{
    std::filesystem::path source;
    std::string target;  ///< Relative, with '/' between folders.
    bool always = false; ///< Sent even if a file of this size exists there, because it may have changed.
    bool operator==(const ShippedFile&) const = default;
};

/// The remote folder of this project, below the host's folder: its name, and a hash of its local path and
/// folder identity, so another project in the same place gets a different folder.
std::string remoteProjectFolder(const RemoteHost& host, const std::filesystem::path& project);

/// All files that a worker needs to start this run elsewhere: the project's list of matrices (rewritten in
/// `scratch` without local paths), their caches, the SFT set, `policy`, and the run's own folder. Caches,
/// programs and policies are named by their contents, so equal names and sizes mean equal files. The run's
/// run.toml and run.identity come last: without them there is no run.
Result<std::vector<ShippedFile>> shipmentOf(Project& project, const RunDirectory& run,
                                            const RunIdentity& identity, const ShippedPolicy& policy,
                                            const std::filesystem::path& scratch,
                                            const CancelToken& cancel = {}, const Progress& progress = {});

/// Sends the missing files with rsync if both sides have it, otherwise with tar. An existing remote run is
/// authoritative: its files stay unchanged, and only checkpoints newer than all of its own are added. Fails
/// if inventory() has not claimed the place for the run, or if a file would be written elsewhere.
Status ship(const RemoteHost& host, const std::string& folder, const std::vector<ShippedFile>& files,
            const RemoteInventory& there, const RunIdentity& run, const CancelToken& cancel = {},
            const Progress& progress = {});

} // namespace sparserl
