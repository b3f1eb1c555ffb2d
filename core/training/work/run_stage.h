// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/run_directory.h"
#include "training/parameters/stage_parameters.h"

namespace sparserl {

/// What a run does.
struct RunStage
{
    StageKind kind;
    ParameterSet parameters; ///< As the run began; settings that changed during the run are in its journal.
};

/// The stage of a run, from its run.toml. An error names that file, and a copy of it in a checkpoint if there
/// is one that differs.
Result<RunStage> stageOf(const RunDirectory& run);

} // namespace sparserl
