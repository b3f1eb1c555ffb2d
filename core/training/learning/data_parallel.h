// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "training/work/process_group.h"

namespace sparserl {

/// Puts the sums over all processes in the place of the parameters' gradients. A parameter has one afterwards
/// if it had one in any process.
void sumGradients(const NamedTensors& parameters, ProcessGroup& processes);

/// Gives every process the weights of process 0.
void shareWeights(const NamedTensors& parameters, ProcessGroup& processes);

/// Throws ProcessFault where the weights are not those of process 0 up to rounding: each process computes the
/// same step from the same gradients.
void requireSameWeights(const NamedTensors& parameters, ProcessGroup& processes);

/// All rows of which each process has its shareOf() in `own` [rows, columns] (fp32, on the CPU).
torch::Tensor gatherRows(const torch::Tensor& own, ProcessGroup& processes);

} // namespace sparserl
