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

/// A file to be sent, and its place in the project's folder there.
struct ShippedFile
{
    std::filesystem::path source;
    std::string target;  ///< Relative, with '/' between folders.
    bool always = false; ///< Also where a file of this size is there: it may have changed.
    bool operator==(const ShippedFile&) const = default;
};

/// The folder there of this project, below the host's folder: its name, and a hash of where it is here and
/// of which folder that is, so that another project in its place gets another one.
std::string remoteProjectFolder(const RemoteHost& host, const std::filesystem::path& project);

/// Everything that a worker needs to begin with this run elsewhere: the project's list of matrices (made
/// anew in `scratch`, so that none is looked for where only this machine has it), their caches, the SFT set,
/// `policy`, and the run's own folder. Caches, programs and policies are
/// called by what they hold, so that one of the same name and size is the same. The run's run.toml and
/// run.identity come last: without them there is no run.
Result<std::vector<ShippedFile>> shipmentOf(Project& project, const RunDirectory& run,
                                            const RunIdentity& identity, const ShippedPolicy& policy,
                                            const std::filesystem::path& scratch,
                                            const CancelToken& cancel = {}, const Progress& progress = {});

/// Sends what is missing there, by rsync where both sides have it, else through tar. A run that is there
/// already is the truth: nothing in it is touched; checkpoints that are newer than all of its own are added.
/// Fails where inventory() has not claimed the place for the run, or a file would go to another one.
Status ship(const RemoteHost& host, const std::string& folder, const std::vector<ShippedFile>& files,
            const RemoteInventory& there, const RunIdentity& run, const CancelToken& cancel = {},
            const Progress& progress = {});

} // namespace sparserl
