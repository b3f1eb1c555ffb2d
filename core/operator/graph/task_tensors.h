// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/host_tensor.h"
#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <optional>

namespace sparserl {

/// Returns the inputs and weights of a graph by name: stored tensors, and for the others what their fills
/// describe. With a seed, every tensor that has a fill is generated again, even if it is stored. Fails if a
/// tensor has neither, if a stored tensor does not have the type in the graph, or if all tensors together
/// have more than `limit` bytes.
Result<HostTensors> taskTensors(const OperatorGraph& graph, const HostTensors& stored,
                                std::optional<std::uint64_t> seed, std::uint64_t limit);

} // namespace sparserl
