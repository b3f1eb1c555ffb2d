// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "training/work/process_group.h"

namespace sparserl {

/// Replaces the parameters' gradients by the sums over all processes. A parameter has a gradient afterwards
/// if it had one in any process.
void sumGradients(const NamedTensors& parameters, ProcessGroup& processes);

/// Copies the weights of process 0 to every process.
void shareWeights(const NamedTensors& parameters, ProcessGroup& processes);

/// Throws ProcessFault if the weights differ from those of process 0 beyond rounding. Each process computes
/// the same step from the same gradients.
void requireSameWeights(const NamedTensors& parameters, ProcessGroup& processes);

/// All rows, of which each process holds its shareOf() in `own` [rows, columns] (fp32, on the CPU).
torch::Tensor gatherRows(const torch::Tensor& own, ProcessGroup& processes);

} // namespace sparserl
