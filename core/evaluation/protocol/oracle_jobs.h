// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace sparserl {

/// A job of the role `oracle`: examine a graph. Three sealed files come with it: the graph as JSON, its
/// stored tensors as a safetensors file, and the results that the task itself returned, as another.
struct OracleJob
{
    /// Of the files' contents; none: 0.
    std::uint64_t graphBytes = 0, tensorBytes = 0, recordedBytes = 0;
    double seconds = 60;               ///< Of one run of the graph.
    std::uint64_t memoryBytes = 0;     ///< Of tensors alive at once.
    std::uint64_t cpuSeconds = 0;      ///< Of the whole job; the process is then ended.
    std::optional<std::uint64_t> seed; ///< Draws every tensor that has a fill again.
};

nlohmann::json toJson(const OracleJob& job);
Result<OracleJob> oracleJobFromJson(const nlohmann::json& json);

} // namespace sparserl
