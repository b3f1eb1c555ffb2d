// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sparserl {

/// What an operator does with its first tensor. Facts about a graph depend on this kind.
enum class OperatorKind
{
    Reshape,   ///< Gives the same elements in the same order another shape; may share memory.
    Permute,   ///< Shows the same memory with the dimensions in another order.
    View,      ///< Shows the same memory in another way, for example a part of it.
    Make,      ///< Makes a new tensor from numbers and shapes alone.
    Copy,      ///< Moves elements without computing.
    Compute,   ///< Elementwise operations, scans, reductions, losses, pooling.
    MatMul,    ///< Products of matrices.
    Convolve,  ///< Convolutions.
    Composite, ///< Does several of these in one call (attention, recurrences).
};

struct KnownOperator
{
    std::string_view name;
    OperatorKind kind;
};

/// Returns every operator that a graph may call, by name. Graphs cannot reach anything else in ATen. No such
/// operator opens files, starts threads or processes, hands numbers to Python, or keeps state.
std::span<const KnownOperator> knownOperators();

/// Returns the kind of an operator, or nullopt if graphs may not call it. A name that ends in an underscore
/// is the in-place form of an operator; only operators that copy or compute have this form.
std::optional<OperatorKind> operatorKind(std::string_view name);
/// Returns whether the name is that of an in-place form, which writes to its first argument and returns it.
bool worksInPlace(std::string_view name);
/// Returns the name without the underscore of an in-place form.
std::string_view plainName(std::string_view name);

/// Returns whether an operator draws random numbers, which no oracle can repeat.
bool isRandomOperator(std::string_view name);

/// Returns the values to whose memory a node writes: the first argument of an in-place form, and the running
/// statistics of a normalisation.
std::vector<int> writtenValues(const GraphNode& node);

/// Returns whether results of a node may share memory with its first tensor.
bool sharesMemory(const GraphNode& node);

} // namespace sparserl
