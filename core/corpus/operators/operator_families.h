// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The parameters of a program, such as {"threads", 128}.
using OperatorParameters = std::map<std::string, std::int64_t>;

/// A family of programs for operators. A program is for all sizes of a graph, because it reads sizes from the
/// plan.
struct OperatorFamily
{
    std::string_view id, title;
    std::map<std::string, std::vector<std::int64_t>> parameters; ///< The values that each may have.
    std::vector<std::string_view> operators; ///< The operators of ATen that the family computes.
    /// Writes the program for a graph. Returns nullopt if the family does not fit the graph. `parameters` has
    /// a value for each parameter.
    std::optional<std::string> (*write)(const OperatorGraph& graph, const OperatorParameters& parameters);
    /// Returns a graph of one of the operators with `rows` rows and `columns` columns, which the family fits.
    OperatorGraph (*derive)(std::string_view op, std::int64_t rows, std::int64_t columns);
};

/// Returns the families E1 to E5, E7, E10 and E11.
std::vector<OperatorFamily> operatorFamilies();
/// Returns every choice of a family's parameters.
std::vector<OperatorParameters> parameterChoices(const OperatorFamily& family);

} // namespace sparserl
