// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <string>

namespace sparserl {

/// Returns an identifier of the function that a graph computes: a SHA-256 in 64 hex digits. Graphs with the
/// same digest compute the same function of their inputs and weights. The numbers in inputs and weights
/// (fills, stored tensors, constants) do not affect the digest. Neither do names, nodes on which no output
/// depends, views that change nothing, copies, the order of independent calls, the order of two commutative
/// operands, whether a call works in place, or the different names under which versions of PyTorch record the
/// same call.
std::string graphDigest(const OperatorGraph& graph);

/// Returns the digest without sizes: all whole numbers and extents are masked. The graphs of one task at
/// several sizes have the same structure.
std::string graphStructure(const OperatorGraph& graph);

} // namespace sparserl
