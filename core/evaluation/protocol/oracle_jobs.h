// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace sparserl {

/// A job of the role `oracle`: examine a graph. Two sealed files come with it: the graph as JSON, and its
/// stored tensors as a safetensors file.
struct OracleJob
{
    std::uint64_t graphBytes = 0, tensorBytes = 0; ///< Of the files' contents; no tensors: 0.
    double seconds = 60;                           ///< Of one run of the graph.
    std::uint64_t memoryBytes = 0;                 ///< Of tensors alive at once.
    std::uint64_t cpuSeconds = 0;                  ///< Of the whole job; the process is then ended.
    std::optional<std::uint64_t> seed;             ///< Draws every tensor that has a fill again.
};

nlohmann::json toJson(const OracleJob& job);
Result<OracleJob> oracleJobFromJson(const nlohmann::json& json);

} // namespace sparserl
