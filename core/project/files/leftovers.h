// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Removes what programs that were killed left in `folder` of files that they were replacing
/// (base/temporary_name.h), if nothing was written to them for `age`. With no age at all, only for one beside
/// whom nobody writes there. Files that the project names stay, whatever they are called.
void removeLeftovers(const std::filesystem::path& folder, std::chrono::seconds age,
                     const std::vector<std::filesystem::path>& named = {});

/// The same for bundles that an export was writing (kernel/bundle.h: `.bundle-XXXXXX` in `folder`).
void removeHalfBundles(const std::filesystem::path& folder, std::chrono::seconds age);

/// The same for folders PREFIX-XXXXXX that hold a run that nobody was to keep and nobody works on.
void removeScratchRuns(const std::filesystem::path& folder, const std::string& prefix,
                       std::chrono::seconds age);

} // namespace sparserl
