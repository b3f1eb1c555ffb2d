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

/// All trust roots that contain `path`, outermost first: the outermost marker of either kind, and every
/// project within it. Follows the user's links into a root, but none below it. The user's settings
/// (userSettingsFolder()) never belong to a project that contains them.
std::vector<TrustRoot> trustRootsAbove(const std::filesystem::path& path);
/// The same, including `path` itself if it is a trust root.
std::vector<TrustRoot> trustRootsAround(const std::filesystem::path& path);

/// Resolves the user's own links in a path: those above the outermost marker.
std::filesystem::path behindLinks(const std::filesystem::path& path);

} // namespace sparserl
