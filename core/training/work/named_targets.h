// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"
#include "training/parameters/stage_parameters.h"
#include "training/work/stage.h"

#include <string>
#include <vector>

namespace sparserl {

/// Removes the targets that the run does not use: those that search.matrices or evaluate.matrices, if one of
/// them is set, lists neither by name nor by digest. Fails if a listed matrix is not there. Call it before
/// the order of rows or columns changes, which also changes the digests.
Status keepNamedTargets(StageKind kind, const ParameterSet& parameters, std::vector<StageTarget>& targets);

/// Returns the targets of a split; "all": all of them.
std::vector<const StageTarget*> targetsOfSplit(const std::vector<StageTarget>& targets,
                                               const std::string& split);

} // namespace sparserl
