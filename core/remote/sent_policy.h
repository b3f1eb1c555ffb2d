// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Decides whether a policy may be sent to another machine, and which of its files are sent. The folder's name
// comes from a run.toml, which anyone may have written. Such a file must not cause anything else to leave
// this machine.
namespace sparserl {

struct TreeFile
{
    std::string name; ///< The path below the listed folder, with '/' between folders.
    std::int64_t size = 0;
};

/// Lists the files of the policy in a folder: for a checkpoint, the files that checkpoint.json lists,
/// otherwise the files whose names are in a fixed list. Fails if the folder contains no policy, or if a file
/// is a link.
Result<std::vector<TreeFile>> filesOfPolicy(const std::filesystem::path& folder);

/// Fails if a path is a symbolic link that the user has not allowed.
Status refuseLink(const std::filesystem::path& path);

/// Records that this user has named a policy's folder on this machine (`train --parent`).
Status recordNamedPolicy(const std::filesystem::path& folder);

/// Fails if a project must not cause this folder to be sent. A folder may be sent if it is in this project or
/// in another trusted project, or if the user has named it (recordNamedPolicy()).
Status requireNamedPolicy(const Project& project, const std::filesystem::path& folder);

} // namespace sparserl
