// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace sparserl {

/// The folders that PATH names, in their order, empty ones left out; those of `otherwise` where it is not
/// set.
std::vector<std::filesystem::path> pathFolders(const char* otherwise = "");

} // namespace sparserl
