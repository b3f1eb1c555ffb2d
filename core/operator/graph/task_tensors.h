// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/host_tensor.h"
#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <optional>

namespace sparserl {

/// The inputs and weights of a graph by name: what is stored, and what its fills describe. With a seed, each
/// tensor that has a fill is drawn again, even if it is stored. Fails if a tensor is neither stored nor has a
/// fill, if a stored one is of another type than the graph says, and if all have more than `limit` bytes.
Result<HostTensors> taskTensors(const OperatorGraph& graph, const HostTensors& stored,
                                std::optional<std::uint64_t> seed, std::uint64_t limit);

} // namespace sparserl
