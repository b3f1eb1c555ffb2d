// SPDX-License-Identifier: Apache-2.0
#include "corpus/operators/one_call.h"

#include "operator/synthesis/graph_builder.h"

#include <utility>

namespace sparserl {

namespace {

/// Returns the name of an input or a weight, or an empty text.
std::string nameOfValue(const OperatorGraph& graph, int value)
{
    for (const GraphInput& input : graph.inputs)
        if (input.value == value)
            return input.name;
    for (const GraphWeight& weight : graph.weights)
        if (weight.value == value)
            return weight.name;
    return {};
}

} // namespace

std::optional<OneCall> oneCallOf(const OperatorGraph& graph)
{
    if (graph.nodes.size() != 1 || graph.outputs.size() != 1)
        return std::nullopt;
    const GraphNode& node = graph.nodes.front();
    if (!node.named.empty() || node.outputs != std::vector{graph.outputs.front().value})
        return std::nullopt;
    for (const TensorType& type : graph.values)
        if (type.element != TensorElement::F32 || !type.strides.empty())
            return std::nullopt;
    OneCall call{node.op, node.arguments, {}, {}};
    for (const int value : referencesOf(node)) {
        std::string name = nameOfValue(graph, value);
        if (name.empty())
            return std::nullopt;
        call.operands.push_back({std::move(name), graph.values[static_cast<std::size_t>(value)].shape});
    }
    call.output = graph.values[static_cast<std::size_t>(graph.outputs.front().value)].shape;
    return call;
}

OperatorGraph oneCallGraph(std::string_view op, std::string overload,
                           const std::vector<std::vector<std::int64_t>>& inputs,
                           const std::vector<GraphArgument>& more, const std::vector<std::int64_t>& output)
{
    GraphBuilder graph(std::string(op), "base");
    std::vector<GraphArgument> arguments;
    for (const auto& shape : inputs)
        arguments.emplace_back().value = ValueRef{graph.input(shape, {FillKind::Normal, 0, 1})};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const int result = graph.call(std::string(op), std::move(overload), std::move(arguments), output);
    return std::move(graph).finish(result);
}

} // namespace sparserl
