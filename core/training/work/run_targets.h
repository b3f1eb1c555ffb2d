// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "target/target_id.h"
#include "training/work/stage.h"

#include <vector>

namespace sparserl {

/// The variants computed with each matrix in a run with these parameters: one, or two for both tasks, SpMV
/// first.
std::vector<TargetVariant> variantsOf(const ParameterSet& parameters);
/// The element type; F32 if the parameters do not specify it.
ElementType elementTypeOf(const ParameterSet& parameters);
/// The first variant, for a policy with one prompt.
TargetVariant firstVariantOf(const ParameterSet& parameters);
/// Whether a run has both tasks.
bool isOfBothTasks(const ParameterSet& parameters);

/// The targets of a run: one per matrix and variant, those of SpMV first. The warnings about a matrix's file
/// stay with its first target.
std::vector<StageTarget> targetsOfRun(const ParameterSet& parameters,
                                      const std::vector<StageTarget>& matrices);

} // namespace sparserl
