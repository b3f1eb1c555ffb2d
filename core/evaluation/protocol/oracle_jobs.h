// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace sparserl {

/// A request to the role `oracle` to examine a graph. It comes with three sealed files: the graph as JSON,
/// its stored tensors as a safetensors file, and the results that the task itself returned as another such
/// file.
struct OracleJob
{
    /// Sizes of the contents of the three files; 0 if a file has none.
    std::uint64_t graphBytes = 0, tensorBytes = 0, recordedBytes = 0;
    double seconds = 60;               ///< Time limit for one run of the graph.
    std::uint64_t memoryBytes = 0;     ///< Limit for the tensors that exist at the same time.
    std::uint64_t cpuSeconds = 0;      ///< CPU time limit for the whole job. After it, the process is killed.
    std::optional<std::uint64_t> seed; ///< If set, tensors that have a fill are drawn again from this seed.
};

nlohmann::json toJson(const OracleJob& job);
Result<OracleJob> oracleJobFromJson(const nlohmann::json& json);

} // namespace sparserl
