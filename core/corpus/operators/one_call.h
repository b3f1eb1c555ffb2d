// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A tensor that a call reads: its name in plans, and its shape.
struct Operand
{
    std::string name;
    std::vector<std::int64_t> shape;
};

/// The only call of a graph.
struct OneCall
{
    std::string op;
    std::vector<GraphArgument> arguments;
    std::vector<Operand> operands; ///< The inputs and weights among the arguments, in their order.
    std::vector<std::int64_t> output;
};

/// Returns the call of a graph that has only one, with one output, no keyword arguments, and tensors of F32
/// without gaps. Returns nullopt for other graphs.
std::optional<OneCall> oneCallOf(const OperatorGraph& graph);

/// Returns the graph of one call. The inputs, of the given shapes, are drawn from a normal distribution and
/// are the first arguments; `more` are the others.
OperatorGraph oneCallGraph(std::string_view op, std::string overload,
                           const std::vector<std::vector<std::int64_t>>& inputs,
                           const std::vector<GraphArgument>& more, const std::vector<std::int64_t>& output);

} // namespace sparserl
