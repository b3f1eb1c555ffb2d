// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <optional>
#include <string>
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

} // namespace sparserl
