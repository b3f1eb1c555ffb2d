// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace sparserl {

/// What somebody else may have laid out, and the user trusts or not: a project's folder, or that of a run
/// that lies in none.
struct TrustRoot
{
    std::filesystem::path folder;
    bool isRun = false;
    bool operator==(const TrustRoot&) const = default;
};

/// All of them that `path` lies in, the outermost first: the outermost marker of either kind, and every
/// project within it. Links of the user that lead into one are followed; what is beneath it follows none.
/// The user's settings (userSettingsFolder()) belong to no project that they happen to lie in.
std::vector<TrustRoot> trustRootsAbove(const std::filesystem::path& path);
/// The same with `path` itself where that is one.
std::vector<TrustRoot> trustRootsAround(const std::filesystem::path& path);

/// Where a path leads by links of the user: those above the outermost marker, which nobody has sent.
std::filesystem::path behindLinks(const std::filesystem::path& path);

} // namespace sparserl
