// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string_view>

namespace sparserl {

/// Finds an NVIDIA program such as "nvdisasm" in $SPARSERL_CUDA_DIR or its bin folder, then in the bin
/// folders next to cudaLibraryFolders(), then in PATH. The Error says how to get the program. A missing
/// program is a normal state.
Result<std::filesystem::path> findCudaTool(std::string_view name);

} // namespace sparserl
