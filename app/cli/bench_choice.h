// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "device/cuda/gpu_info.h"

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace sparserl::cli {

// Checks of the arguments of `bench` and `search`.

/// Whether --device selects a GPU on this machine.
inline bool wantsGpu(const std::string& device)
{
    return device == "cuda" || (device == "auto" && listGpus().has_value());
}

/// The fault in --columns of SpMM, if any.
inline std::optional<Error> wrongColumns(std::int64_t columns)
{
    if (columns >= 2 && columns <= 1024)
        return std::nullopt;
    return Error{fmt::format("--columns is {}, but SpMM needs 2 to 1024", columns), {}, 0, "use 8 or 32"};
}

} // namespace sparserl::cli
