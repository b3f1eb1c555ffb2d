// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "training/work/process_group.h"

namespace sparserl {

/// Replaces each parameter's gradient by the sum over all processes. Afterwards, a parameter has a gradient
/// in every process if it had one in any process.
void sumGradients(const NamedTensors& parameters, ProcessGroup& processes);

/// Copies the weights of process 0 to every process.
void shareWeights(const NamedTensors& parameters, ProcessGroup& processes);
/// Likewise the weights of a policy that are trained. Those that are not, such as the weights under adapters,
/// are too many to copy: throws ProcessFault if they differ from those of process 0.
void shareWeights(const Policy& policy, ProcessGroup& processes);

/// Throws ProcessFault if the weights differ from those of process 0 by more than rounding errors. They
/// should agree, because each process computes the same step from the same gradients.
void requireSameWeights(const NamedTensors& parameters, ProcessGroup& processes);

/// Gathers all rows in every process. `own` [rows, columns] (fp32, on the CPU) holds the rows that are this
/// process's shareOf().
torch::Tensor gatherRows(const torch::Tensor& own, ProcessGroup& processes);

} // namespace sparserl
