// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sparserl {

/// What an operator does with its first tensor, as far as facts about a graph depend on it.
enum class OperatorKind
{
    Reshape,   ///< The same elements in the same order under another shape; may share memory.
    Permute,   ///< The same memory with dimensions in another order.
    View,      ///< Other parts of the same memory.
    Make,      ///< A new tensor from numbers and shapes alone.
    Copy,      ///< Moves elements, does not compute.
    Compute,   ///< Elementwise work, scans, reductions, losses, pooling.
    MatMul,    ///< Products of matrices.
    Convolve,  ///< Convolutions.
    Composite, ///< Several of these in one call (attention, recurrences).
};

struct KnownOperator
{
    std::string_view name;
    OperatorKind kind;
};

/// Every operator that a graph may call, by name; nothing else of ATen is reachable. None of them opens
/// files, starts anything, hands numbers to Python or keeps state.
std::span<const KnownOperator> knownOperators();

/// The kind of the operator; a name with an underscore at the end is the form in place of an operator that
/// computes or copies. nullopt: graphs may not call it.
std::optional<OperatorKind> operatorKind(std::string_view name);
/// Whether the operator is a form in place: it writes into its first argument and returns it.
bool worksInPlace(std::string_view name);
/// The name without what says that it works in place.
std::string_view plainName(std::string_view name);

/// Operators that draw random numbers, which no oracle can repeat.
bool isRandomOperator(std::string_view name);

/// Values into whose memory the node writes: the first argument in place, running statistics in training.
std::vector<int> writtenValues(const GraphNode& node);

/// Whether results of the node may share memory with its first tensor.
bool sharesMemory(const GraphNode& node);

} // namespace sparserl
