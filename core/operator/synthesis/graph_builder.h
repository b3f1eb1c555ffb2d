// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

using Shape = std::vector<std::int64_t>;

/// Writes a graph call by call. All of its tensors are F32.
class GraphBuilder
{
public:
    GraphBuilder(std::string name, std::string size);

    int input(const Shape& shape, const Fill& fill);  ///< "x", "y1", "y2" ...
    int weight(const Shape& shape, const Fill& fill); ///< "w0", "w1" ...
    /// A call with one result of this shape.
    int call(std::string op, std::string overload, std::vector<GraphArgument> arguments, const Shape& shape);
    /// Gives the newest call a keyword argument.
    void nameArgument(std::string name, GraphArgument argument);
    /// A copy, as further calls move the values.
    Shape shape(int value) const { return m_graph.values[static_cast<std::size_t>(value)].shape; }
    /// The graph whose only output is this value.
    OperatorGraph finish(int output) &&;

private:
    int value(const Shape& shape);

    OperatorGraph m_graph;
};

} // namespace sparserl
