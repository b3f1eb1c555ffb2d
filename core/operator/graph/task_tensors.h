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

/// Whether the elements of a tensor can have come from a fill: their bounds and their distribution are as
/// those of a tensor that is drawn from it. A constant must agree.
bool isDescribedBy(const HostTensor& tensor, const Fill& fill);

/// Takes from the graph each fill that does not describe the stored tensor, and returns the names of these
/// tensors. What has no fill is always stored.
std::vector<std::string> dropWrongFills(OperatorGraph& graph, const HostTensors& stored);

/// The stored tensors of inputs and weights that no fill describes.
HostTensors withoutFills(const OperatorGraph& graph, const HostTensors& stored);

} // namespace sparserl
