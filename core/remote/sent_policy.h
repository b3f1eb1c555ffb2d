// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Which policy is sent to another machine, and which of its files. The name of its folder stands in a
// run.toml, which anybody may have written: neither any folder nor any file of it may leave this machine by
// that.
namespace sparserl {

struct TreeFile
{
    std::string name; ///< Relative, with '/' between folders.
    std::int64_t size = 0;
};

/// What of a folder is its policy: of a checkpoint, the files that checkpoint.json lists, else those of a
/// fixed list of names; nothing else, whatever lies there. Fails where the folder holds no policy, or a link
/// stands for one of the files.
Result<std::vector<TreeFile>> filesOfPolicy(const std::filesystem::path& folder);

/// Fails where this is a link that the user has not allowed.
Status refuseLink(const std::filesystem::path& path);

/// Records that this user has named a policy's folder here (`train --parent`).
Status recordNamedPolicy(const std::filesystem::path& folder);

/// Fails for a folder that a project must not have sent by naming it: it lies neither in the project nor in
/// another one that the user trusts, and the user has not named it either (recordNamedPolicy()).
Status requireNamedPolicy(const Project& project, const std::filesystem::path& folder);

} // namespace sparserl
