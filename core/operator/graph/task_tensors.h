// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/host_tensor.h"
#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// Returns the inputs and weights of a graph by name: stored tensors, and for the others what their fills
/// describe. With a seed, every tensor that has a fill is generated again, even if it is stored. Fails if a
/// tensor has neither, if a stored tensor does not have the type in the graph, or if all tensors together
/// have more than `limit` bytes.
Result<HostTensors> taskTensors(const OperatorGraph& graph, const HostTensors& stored,
                                std::optional<std::uint64_t> seed, std::uint64_t limit);

/// Returns whether the elements of a tensor can have come from a fill: their bounds and their distribution
/// are like those of a tensor that is drawn from the fill. If the fill is constant, all elements must agree
/// up to rounding.
bool isDescribedBy(const HostTensor& tensor, const Fill& fill);

/// Removes each fill that does not describe the stored tensor from the graph. Returns the names of these
/// tensors. Tensors without a fill are always stored.
std::vector<std::string> dropWrongFills(OperatorGraph& graph, const HostTensors& stored);

/// Returns the stored tensors of those inputs and weights that have no fill.
HostTensors withoutFills(const OperatorGraph& graph, const HostTensors& stored);

} // namespace sparserl
