// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <map>
#include <string>

namespace sparserl {

/// The parts of a graph, with the number of times that each occurs. A part is an operator, or an operator
/// together with the source of one of its operands: an operator, "input" or "weight". The source of a view is
/// that of the tensor that it shows. Parts do not depend on sizes. Nodes that affect no output are left out.
using GraphParts = std::map<std::string, int>;
GraphParts partsOf(const OperatorGraph& graph);

/// Returns the number of parts that both graphs have, divided by the number of parts that at least one of
/// them has. The result is between 0 and 1.
double similarityOf(const GraphParts& a, const GraphParts& b);

} // namespace sparserl
