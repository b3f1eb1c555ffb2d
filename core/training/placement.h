// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "policy/compute.h"

namespace sparserl {

/// Where the stage's `device` and `precision` put its models.
Result<Compute> computeOf(const ParameterSet& parameters);

/// What a run's journal says of it: the GPU, or that there is one that `auto` could not use. Empty on a
/// machine without a GPU, and where the CPU was asked for.
std::string placementSentence(const ParameterSet& parameters, const Compute& compute);

} // namespace sparserl
