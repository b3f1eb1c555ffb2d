// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"
#include "target/target_id.h"
#include "training/work/stage.h"

#include <vector>

namespace sparserl {

/// Returns the variants that a run with these parameters computes with each matrix: SpMV first, then SpMM
/// with dense_columns and with each of more_columns. Fails as denseColumnsOf() does.
Result<std::vector<TargetVariant>> variantsOf(const ParameterSet& parameters);
/// Returns the element type; F32 if the parameters do not have one.
ElementType elementTypeOf(const ParameterSet& parameters);
/// Returns the first variant, for a policy with one prompt.
TargetVariant firstVariantOf(const ParameterSet& parameters);
/// Returns whether a run has several variants. Its prompts must then name the variant of a program.
bool hasSeveralVariants(const ParameterSet& parameters);

/// Returns the targets of a run, one for each matrix and variant; the targets for SpMV come first. Only the
/// first target of a matrix keeps the warnings about the matrix's file.
Result<std::vector<StageTarget>> targetsOfRun(const ParameterSet& parameters,
                                              const std::vector<StageTarget>& matrices);

} // namespace sparserl
