// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Removes temporary files of killed programs in `folder` (base/temporary_name.h) that have not been written
/// for `age`. Pass a zero age only if no other process writes there. Files named in the project are kept,
/// whatever their names.
void removeLeftovers(const std::filesystem::path& folder, std::chrono::seconds age,
                     const std::vector<std::filesystem::path>& named = {});

/// The same for incomplete bundles of an export (kernel/bundle.h: `.bundle-XXXXXX` in `folder`).
void removeHalfBundles(const std::filesystem::path& folder, std::chrono::seconds age);

/// The same for folders PREFIX-XXXXXX with temporary runs that no process works on.
void removeScratchRuns(const std::filesystem::path& folder, const std::string& prefix,
                       std::chrono::seconds age);

} // namespace sparserl
