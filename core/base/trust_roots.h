// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace sparserl {

/// A folder that another person may have created and that needs the user's trust: a project, or a run outside
/// a project.
struct TrustRoot
{
    std::filesystem::path folder;
    bool isRun = false;
    bool operator==(const TrustRoot&) const = default;
};

/// All trust roots that contain `path`, outermost first: the outermost folder that is a project or a run, and
/// every project within it. Follows the user's links into a root, but no links below it. The user's settings
/// (userSettingsFolder()) never belong to a project that contains them.
std::vector<TrustRoot> trustRootsAbove(const std::filesystem::path& path);
/// Like trustRootsAbove(), but includes `path` itself if it is a trust root.
std::vector<TrustRoot> trustRootsAround(const std::filesystem::path& path);

/// Resolves the user's own links in a path, which are the links above the outermost project or run.
std::filesystem::path behindLinks(const std::filesystem::path& path);

} // namespace sparserl
