// SPDX-License-Identifier: Apache-2.0
#pragma once

// Includes LibTorch, so only the sources in this folder may include it.
#include "operator/graph/operator_graph.h"
#include "operator/run/graph_run.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <optional>
#include <vector>

namespace sparserl {

/// Returns LibTorch's type for these elements. With RunPrecision::Double, every floating-point type becomes
/// double.
c10::ScalarType scalarTypeOf(TensorElement element, RunPrecision precision);
std::optional<TensorElement> elementOfScalarType(c10::ScalarType type);

/// Returns whether a call of an operator that may draw random numbers does so. The call draws none if its
/// probability is 0, or if it is not in training mode.
bool drawsNumbers(const GraphNode& node, const c10::FunctionSchema& schema);

/// Returns the stack for a boxed call, with each argument converted to its type in the schema. `values` holds
/// the tensors of those values of the graph that exist at this point. Throws Failure if an argument has
/// another type or is missing.
torch::jit::Stack callArguments(const GraphNode& node, const c10::FunctionSchema& schema,
                                const OperatorGraph& graph, const std::vector<at::Tensor>& values,
                                RunPrecision precision);

} // namespace sparserl
