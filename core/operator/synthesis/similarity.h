// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <map>
#include <string>

namespace sparserl {

/// What a graph is made of, whatever its sizes: its operators, and each operator with those whose results it
/// takes, by how often they occur. Views are looked through.
using GraphParts = std::map<std::string, int>;
GraphParts partsOf(const OperatorGraph& graph);

/// The parts that two graphs share over all that one of them has: 0 to 1.
double similarityOf(const GraphParts& a, const GraphParts& b);

} // namespace sparserl
