// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace sparserl {

/// What the role `oracle` does with a graph.
enum class OracleWork
{
    Examine, ///< Reports on the graph (OracleReport).
    Compute  ///< Returns the outputs in fp64.
};

/// A request to the role `oracle`. It comes with three files: the graph as JSON, tensors as a safetensors
/// file, and a third file. The first two are sealed. To examine a graph, the tensors are the stored ones, and
/// the third file holds the results that the task itself returned as another safetensors file, sealed. To
/// compute a graph, the tensors are all inputs and weights, and the third file is memory for the answer:
/// a safetensors file with output number i under the name i (F64), and with the fp32 noise of each output
/// under the name "noise" (F64, relativeDifference()).
struct OracleJob
{
    OracleWork work = OracleWork::Examine;
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
