// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// The inputs and weights on which an output depends.
struct OutputDependence
{
    std::string output;
    std::vector<std::string> on; ///< Names of the inputs, then of the weights, in graph order.
};

/// Facts that follow from a graph alone, without running it.
struct GraphFacts
{
    std::size_t computing = 0; ///< Number of live nodes that compute. A live node affects an output.
    std::size_t dead = 0;      ///< Number of the other nodes, which affect no output.
    /// The level that KernelBench would give the task: 1 if at most two nodes compute (single operators), 2
    /// for at most ten (sequences that can be fused), otherwise 3 (networks).
    int level = 1;
    /// Floating-point operations: two for each product in a matrix product or a convolution; for any other
    /// operator that computes, one for each element of its largest operand or result.
    double flops = 0;
    /// The bytes that any program must move, in the types of the graph: those of the outputs, and those of
    /// the inputs and weights on which outputs depend.
    double compulsoryBytes = 0;
    /// Bytes that eager execution moves: those that the calls that compute or copy read and write, each by
    /// itself.
    double movedBytes = 0;
    std::vector<OutputDependence> outputs;
    std::vector<std::string> unused;         ///< Inputs and weights on which no output depends.
    std::map<std::string, int> operators;    ///< Number of live nodes for each operator (plainName()).
    std::vector<std::string> countedRoughly; ///< Operators for which `flops` is only a rough count.
};

GraphFacts graphFacts(const OperatorGraph& graph);

/// Returns, for each node, whether an output depends on a value that the node computes or writes. Values that
/// share memory count as one value.
std::vector<bool> liveNodes(const OperatorGraph& graph);

/// Returns the number of each value's memory. Values that may share memory have the same number.
std::vector<int> memoryOfValues(const OperatorGraph& graph);

} // namespace sparserl
