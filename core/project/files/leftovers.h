// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Removes the temporary files (base/temporary_name.h) in `folder` that killed programs have left: those that
/// nobody has written to for `age`. Pass an age of zero only if no other process writes to the folder. Keeps
/// the files in `named`, which the project lists, even if they look temporary.
void removeLeftovers(const std::filesystem::path& folder, std::chrono::seconds age,
                     const std::vector<std::filesystem::path>& named = {});

/// Removes incomplete bundles of exports in the same way (kernel/bundle.h; folders `.bundle-XXXXXX` in
/// `folder`).
void removeHalfBundles(const std::filesystem::path& folder, std::chrono::seconds age);

/// Removes temporary runs in the same way: folders PREFIX-XXXXXX with a run that has no worker.
void removeScratchRuns(const std::filesystem::path& folder, const std::string& prefix,
                       std::chrono::seconds age);

} // namespace sparserl
