// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string_view>

namespace sparserl {

/// A program of NVIDIA's, such as "nvdisasm": from $SPARSERL_CUDA_DIR (itself or its bin), from the folders
/// bin beside those of cudaLibraryFolders(), else from PATH. The Error says how to get it; that there is none
/// is a normal state.
Result<std::filesystem::path> findCudaTool(std::string_view name);

} // namespace sparserl
