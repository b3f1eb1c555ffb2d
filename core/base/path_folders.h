// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace sparserl {

/// The non-empty folders in PATH, in order. Uses `otherwise` if PATH is not set.
std::vector<std::filesystem::path> pathFolders(const char* otherwise = "");

} // namespace sparserl
