// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "policy/compute/compute.h"
#include "training/work/process_group.h"

namespace sparserl {

/// Returns the device and precision of the stage's models. If several processes share a machine and `device`
/// is auto or cuda, each process uses the GPU with its local rank.
Result<Compute> computeOf(const ParameterSet& parameters, const ProcessGroup& processes);

/// Returns a sentence about the processes that work together; empty for one process.
std::string processesSentence(const ProcessGroup& processes);

/// Returns a sentence for the journal about the device: the GPU, or why `auto` could not use one. Empty on a
/// machine without a GPU, and if the CPU was requested.
std::string placementSentence(const ParameterSet& parameters, const Compute& compute);

} // namespace sparserl
