// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <string>

namespace sparserl {

/// Identifies what a graph computes: SHA-256 in 64 hex digits. Graphs with the same digest compute the same
/// function of their inputs and weights; their numbers (fills, stored tensors, constants) do not count. Left
/// out are names, nodes on which no output depends, views that change nothing, copies, the order of calls
/// that do not depend on each other, whether a call works in place, and the different names under which
/// versions of PyTorch record the same call.
std::string graphDigest(const OperatorGraph& graph);

/// The same without sizes: all whole numbers and extents are masked. Graphs of one task at several sizes have
/// the same.
std::string graphStructure(const OperatorGraph& graph);

} // namespace sparserl
