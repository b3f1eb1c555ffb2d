// SPDX-License-Identifier: Apache-2.0
#include "operator/synthesis/graph_builder.h"

#include <fmt/format.h>
#include <utility>

namespace sparserl {

GraphBuilder::GraphBuilder(std::string name, std::string size)
{
    m_graph.name = std::move(name);
    m_graph.size = std::move(size);
    m_graph.mode = "train";
    m_graph.recorder = "sparserl operator synthesize";
}

int GraphBuilder::value(const Shape& shape)
{
    m_graph.values.push_back({TensorElement::F32, shape, {}});
    return static_cast<int>(m_graph.values.size()) - 1;
}

int GraphBuilder::input(const Shape& shape, const Fill& fill)
{
    const std::size_t number = m_graph.inputs.size();
    const int made = value(shape);
    m_graph.inputs.push_back({number == 0 ? "x" : fmt::format("y{}", number), made, fill});
    return made;
}

int GraphBuilder::weight(const Shape& shape, const Fill& fill)
{
    const int made = value(shape);
    m_graph.weights.push_back(
        {fmt::format("w{}", m_graph.weights.size()), WeightKind::Parameter, made, fill});
    return made;
}

int GraphBuilder::call(std::string op, std::string overload, std::vector<GraphArgument> arguments,
                       const Shape& shape)
{
    const int made = value(shape);
    m_graph.nodes.push_back({std::move(op), std::move(overload), std::move(arguments), {}, {made}});
    return made;
}

void GraphBuilder::nameArgument(std::string name, GraphArgument argument)
{
    m_graph.nodes.back().named.emplace_back(std::move(name), std::move(argument));
}

OperatorGraph GraphBuilder::finish(int output) &&
{
    m_graph.outputs.push_back({"out", output});
    return std::move(m_graph);
}

} // namespace sparserl
