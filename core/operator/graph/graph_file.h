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

/// What a graph may have at most. The largest task of KernelBench has 2,768 nodes.
struct GraphLimits
{
    static constexpr std::uint64_t fileBytes = 64u << 20;
    static constexpr std::size_t nodes = 20'000, values = 100'000, tensors = 10'000, outputs = 1'000;
    static constexpr std::size_t arguments = 64, listItems = 4'096, nameBytes = 200;
    static constexpr std::size_t depth = 2; ///< Of lists.
    static constexpr std::size_t dimensions = 16;
    static constexpr std::int64_t extent = (std::int64_t(1) << 31) - 1;
    static constexpr std::int64_t elements = std::int64_t(1) << 36; ///< Of one tensor, also counting strides.
};

/// Reads a graph (docs/formats.md 8). Refuses what is not one: more than GraphLimits, operators that graphs
/// may not call or that draw random numbers, values that are out of range, made twice or used before they
/// are made (so that there are no cycles), and types that it does not know. `file` is for messages.
Result<OperatorGraph> graphFromJson(const nlohmann::json& json, const std::string& file = {});
Result<OperatorGraph> parseGraph(std::string_view text, const std::string& file = {});
Result<OperatorGraph> readGraph(const std::filesystem::path& file);

/// The inverse of graphFromJson().
nlohmann::json toJson(const OperatorGraph& graph);

} // namespace sparserl
