// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/capabilities.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Driver, GPU, NVRTC, nvJitLink and cuSPARSE. The driver is tried by `sparserl-runner --gpus`, in a process
/// of its own: what it does on a machine in disorder is its own affair.
std::vector<Capability> cudaCapabilities(const std::filesystem::path& runner,
                                         const std::vector<std::filesystem::path>& folders);

/// Parts between separators, without the blanks around them.
std::vector<std::string> splitText(const std::string& text, char separator);

} // namespace sparserl
