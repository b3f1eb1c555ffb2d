// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Selects the policy and the files to send to another machine. The folder's name comes from a run.toml, which
// anyone may have written. It must not cause any other folder or file to leave this machine.
namespace sparserl {

struct TreeFile
{
    std::string name; ///< Relative, with '/' between folders.
    std::int64_t size = 0;
};

/// The policy files in a folder: for a checkpoint, those listed in checkpoint.json, otherwise those of a
/// fixed list of names. Never includes other files. Fails if the folder contains no policy, or if a file is a
/// link.
Result<std::vector<TreeFile>> filesOfPolicy(const std::filesystem::path& folder);

/// Fails for a link that the user has not allowed.
Status refuseLink(const std::filesystem::path& path);

/// Records that this user has named a policy's folder here (`train --parent`).
Status recordNamedPolicy(const std::filesystem::path& folder);

/// Fails for a folder that a project must not send by naming it: it is neither in this project nor in another
/// trusted one, and the user has not named it (recordNamedPolicy()).
Status requireNamedPolicy(const Project& project, const std::filesystem::path& folder);

} // namespace sparserl
