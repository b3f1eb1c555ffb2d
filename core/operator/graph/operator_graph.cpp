// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/operator_graph.h"

namespace sparserl {

std::string_view nameOf(WeightKind kind)
{
    return kind == WeightKind::Parameter ? "parameter" : kind == WeightKind::Buffer ? "buffer" : "constant";
}

void appendReferences(const GraphArgument& argument, std::vector<int>& into)
{
    if (const auto number = argument.reference())
        into.push_back(*number);
    else if (const auto* const list = argument.list())
        for (const GraphArgument& item : *list)
            appendReferences(item, into);
}

std::vector<int> referencesOf(const GraphNode& node)
{
    std::vector<int> found;
    for (const GraphArgument& argument : node.arguments)
        appendReferences(argument, found);
    for (const auto& [name, argument] : node.named)
        appendReferences(argument, found);
    return found;
}

} // namespace sparserl
