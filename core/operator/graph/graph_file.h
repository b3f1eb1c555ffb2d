// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "operator/graph/operator_graph.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace sparserl {

/// Limits on the size of a graph. The largest tasks of KernelBench have more than 20,000
/// nodes, because their loops over time are unrolled.
struct GraphLimits
{
    static constexpr std::uint64_t fileBytes = 64u << 20;
    static constexpr std::size_t nodes = 100'000, values = 400'000, tensors = 10'000, outputs = 1'000;
    static constexpr std::size_t arguments = 64, listItems = 4'096, nameBytes = 200;
    static constexpr std::size_t depth = 2; ///< How deep lists may be nested.
    static constexpr std::size_t dimensions = 16;
    static constexpr std::int64_t extent = (std::int64_t(1) << 31) - 1;
    static constexpr std::int64_t elements = std::int64_t(1) << 36; ///< In one tensor, including gaps.
};

/// Reads a graph (docs/formats.md 8). Fails if the graph exceeds GraphLimits, calls an operator that graphs
/// may not call or that draws random numbers, defines a value twice, uses a value before its definition (so
/// graphs have no cycles), or has a number out of range or an unknown type. `file` is for messages.
Result<OperatorGraph> graphFromJson(const nlohmann::json& json, const std::string& file = {});
Result<OperatorGraph> parseGraph(std::string_view text, const std::string& file = {});
Result<OperatorGraph> readGraph(const std::filesystem::path& file);

/// Writes a graph in the form that graphFromJson() reads.
nlohmann::json toJson(const OperatorGraph& graph);

} // namespace sparserl
