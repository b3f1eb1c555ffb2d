// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace sparserl {

/// Returns the non-empty folders in PATH, in order. Uses `otherwise` instead of PATH if PATH is not set.
std::vector<std::filesystem::path> pathFolders(const char* otherwise = "");

} // namespace sparserl
