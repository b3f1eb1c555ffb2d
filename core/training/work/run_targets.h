// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "target/target_id.h"
#include "training/work/stage.h"

#include <vector>

namespace sparserl {

/// What a run of these parameters computes with each matrix: one variant, or for both tasks two, that of SpMV
/// first.
std::vector<TargetVariant> variantsOf(const ParameterSet& parameters);
/// In which numbers it computes: F32 for parameters that do not say.
ElementType elementTypeOf(const ParameterSet& parameters);
/// The first of them: what a policy is asked for that reads one prompt.
TargetVariant firstVariantOf(const ParameterSet& parameters);
/// Whether a run is of both tasks.
bool isOfBothTasks(const ParameterSet& parameters);

/// What a run makes of the matrices of a project: a target for each matrix and variant, those of SpMV first.
/// The sentences about a matrix's file stay with its first target.
std::vector<StageTarget> targetsOfRun(const ParameterSet& parameters,
                                      const std::vector<StageTarget>& matrices);

} // namespace sparserl
