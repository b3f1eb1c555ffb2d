// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

using Shape = std::vector<std::int64_t>;

/// Builds a graph call by call. All tensors of the graph are F32. input(), weight() and call()
/// return the number of the new value.
class GraphBuilder
{
public:
    GraphBuilder(std::string name, std::string size);

    /// Adds an input. The first is called "x", the following ones "y1", "y2" and so on.
    int input(const Shape& shape, const Fill& fill);
    /// Adds a weight. The names are "w0", "w1" and so on.
    int weight(const Shape& shape, const Fill& fill);
    /// Adds a call with one result of this shape.
    int call(std::string op, std::string overload, std::vector<GraphArgument> arguments, const Shape& shape);
    /// Adds a keyword argument to the newest call.
    void nameArgument(std::string name, GraphArgument argument);
    /// Returns the shape of a value. The result is a copy, because later additions move the values in memory.
    Shape shape(int value) const { return m_graph.values[static_cast<std::size_t>(value)].shape; }
    /// Returns the graph, whose only output is this value.
    OperatorGraph finish(int output) &&;

private:
    int value(const Shape& shape);

    OperatorGraph m_graph;
};

} // namespace sparserl
