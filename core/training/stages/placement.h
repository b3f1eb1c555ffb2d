// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "policy/compute/compute.h"
#include "training/work/process_group.h"

namespace sparserl {

/// Where the stage's `device` and `precision` put its models. Of several processes of a machine each has a
/// GPU of its own: where `device` is auto or cuda, the one with its number.
Result<Compute> computeOf(const ParameterSet& parameters, const ProcessGroup& processes);

/// That several processes work together; empty for one.
std::string processesSentence(const ProcessGroup& processes);

/// What a run's journal says of it: the GPU, or that there is one that `auto` could not use. Empty on a
/// machine without a GPU, and where the CPU was asked for.
std::string placementSentence(const ParameterSet& parameters, const Compute& compute);

} // namespace sparserl
