// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// What the inputs and weights mean to one output.
struct OutputDependence
{
    std::string output;
    std::vector<std::string> on; ///< Names of the inputs and weights that can reach it, in their order.
};

/// What follows from a graph alone.
struct GraphFacts
{
    std::size_t computing = 0; ///< Nodes that compute, among those on which an output depends.
    std::size_t dead = 0;      ///< Nodes on which no output depends.
    /// 1: at most two nodes compute; 2: at most ten; 3: more. As KernelBench sorts its tasks: single
    /// operators, sequences that can be fused, networks.
    int level = 1;
    /// Floating-point operations: two for each product of a matrix product or a convolution, one for each
    /// element of the largest operand of any other operator that computes.
    double flops = 0;
    /// Bytes of the inputs and weights on which outputs depend, and of the outputs: what any program must
    /// move. In the types of the graph.
    double compulsoryBytes = 0;
    /// Bytes that the calls read and write, each by itself, but for views: what eager execution moves.
    double movedBytes = 0;
    std::vector<OutputDependence> outputs;
    std::vector<std::string> unused;         ///< Inputs and weights that reach no output.
    std::map<std::string, int> operators;    ///< Live nodes by the plain name of their operator.
    std::vector<std::string> countedRoughly; ///< Operators whose work is not the sum of such counts.
};

GraphFacts graphFacts(const OperatorGraph& graph);

/// For each node, whether an output depends on what it computes or writes. Memory that several values share
/// counts as one.
std::vector<bool> liveNodes(const OperatorGraph& graph);

/// The memory of each value, as a number: values that may share memory have the same.
std::vector<int> memoryOfValues(const OperatorGraph& graph);

} // namespace sparserl
