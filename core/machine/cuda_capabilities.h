// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/capabilities.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Probes the driver, GPUs, NVRTC, nvJitLink and cuSPARSE. `sparserl-runner --gpus` tests the driver in a
/// separate process, so that a broken driver cannot harm this one.
std::vector<Capability> cudaCapabilities(const std::filesystem::path& runner,
                                         const std::vector<std::filesystem::path>& folders);

/// Splits a text at each separator into parts without surrounding blanks.
std::vector<std::string> splitText(const std::string& text, char separator);

} // namespace sparserl
