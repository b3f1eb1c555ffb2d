// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/run_directory.h"
#include "training/parameters/stage_parameters.h"

namespace sparserl {

/// The stage of a run with its parameters.
struct RunStage
{
    StageKind kind;
    ParameterSet parameters; ///< Those at the start of the run; the journal has later changes.
};

/// Reads the stage of a run from its run.toml. An Error names this file, and also a copy of it in a
/// checkpoint if that copy differs.
Result<RunStage> stageOf(const RunDirectory& run);

} // namespace sparserl
