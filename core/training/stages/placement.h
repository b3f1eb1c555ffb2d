// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "policy/compute/compute.h"
#include "training/work/process_group.h"

namespace sparserl {

/// The device and precision of the stage's models. With several processes on a machine and `device` auto or
/// cuda, each uses the GPU with its local number.
Result<Compute> computeOf(const ParameterSet& parameters, const ProcessGroup& processes);

/// A sentence that several processes work together; empty for one.
std::string processesSentence(const ProcessGroup& processes);

/// A journal sentence about the device: the GPU, or why `auto` could not use an existing one. Empty on a
/// machine without a GPU, and if the CPU was requested.
std::string placementSentence(const ParameterSet& parameters, const Compute& compute);

} // namespace sparserl
