// SPDX-License-Identifier: Apache-2.0
#pragma once

// Includes LibTorch. Only for the sources of this folder.
#include "operator/graph/operator_graph.h"
#include "operator/run/graph_run.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <optional>
#include <vector>

namespace sparserl {

/// The type of LibTorch for the elements; in fp64, that of all floating-point ones is double.
c10::ScalarType scalarTypeOf(TensorElement element, RunPrecision precision);
std::optional<TensorElement> elementOfScalarType(c10::ScalarType type);

/// Whether a call of an operator that may draw random numbers draws some: not with probability 0, nor outside
/// training.
bool drawsNumbers(const GraphNode& node, const c10::FunctionSchema& schema);

/// The stack for a boxed call: each argument converted to the type of the schema. `values` holds the tensors
/// of the graph's values, so far as they exist. Throws Failure for an argument of another type and for one
/// that is missing.
torch::jit::Stack callArguments(const GraphNode& node, const c10::FunctionSchema& schema,
                                const OperatorGraph& graph, const std::vector<at::Tensor>& values,
                                RunPrecision precision);

} // namespace sparserl
