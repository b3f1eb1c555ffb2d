// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu_info.h"

#include <string>

namespace sparserl::cli {

// Checks of the arguments of `bench` and `search`.

/// Whether --device selects a GPU on this machine.
inline bool wantsGpu(const std::string& device)
{
    return device == "cuda" || (device == "auto" && listGpus().has_value());
}

} // namespace sparserl::cli
