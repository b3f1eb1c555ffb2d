// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"
#include "target/target_id.h"
#include "training/work/stage.h"

#include <vector>

namespace sparserl {

/// The variants computed with each matrix in a run with these parameters: SpMV first, then SpMM with
/// dense_columns and with each of more_columns. Fails as denseColumnsOf() does.
Result<std::vector<TargetVariant>> variantsOf(const ParameterSet& parameters);
/// The element type; F32 if the parameters do not specify it.
ElementType elementTypeOf(const ParameterSet& parameters);
/// The first variant, for a policy with one prompt.
TargetVariant firstVariantOf(const ParameterSet& parameters);
/// Whether a run has several variants, so that its prompts must say for which a program is to be written.
bool hasSeveralVariants(const ParameterSet& parameters);

/// The targets of a run: one per matrix and variant, those of SpMV first. The warnings about a matrix's file
/// stay with its first target.
Result<std::vector<StageTarget>> targetsOfRun(const ParameterSet& parameters,
                                              const std::vector<StageTarget>& matrices);

} // namespace sparserl
