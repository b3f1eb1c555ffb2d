// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "device/cuda/gpu_info.h"

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace sparserl::cli {

// What `bench` and `search` ask of their words.

/// Whether --device means a GPU on this machine.
inline bool wantsGpu(const std::string& device)
{
    return device == "cuda" || (device == "auto" && listGpus().has_value());
}

/// What is wrong with --columns of SpMM, if anything.
inline std::optional<Error> wrongColumns(std::int64_t columns)
{
    if (columns >= 2 && columns <= 1024)
        return std::nullopt;
    return Error{fmt::format("--columns is {}, but SpMM needs 2 to 1024", columns), {}, 0, "use 8 or 32"};
}

} // namespace sparserl::cli
