// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge/make_judge.h"
#include "project/files/project.h"
#include "project/run/run_config.h"
#include "training/work/stage.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace sparserl {

/// All matrices of a project as targets of stages; `doubles` as in Project::load. Fails for a project without
/// matrices.
Result<std::vector<StageTarget>> loadStageTargets(Project& project, const CancelToken& cancel,
                                                  const Progress& progress, bool doubles = false);
/// Whether a run computes with values that floats cannot represent. False if its parameters cannot be read.
bool needsDoubles(const RunDirectory& run);

/// The source of a run's policy: the parent checkpoint (absolute, or relative to the project), otherwise the
/// parent run of the project; empty if run.toml names neither.
std::filesystem::path parentOf(const RunConfig& config);

/// The judge for a run's parameters. Of several processes on a machine, each gets its part of the cores and
/// the GPUs.
Result<std::unique_ptr<Judge>> makeStageJudge(const ParameterSet& parameters,
                                              const ProcessGroup& processes = ProcessGroup());

/// Makes the judges for final figures: alternating with the baseline, and with cold samples.
std::function<Result<std::unique_ptr<Judge>>()> finalJudges(ParameterSet parameters);

/// Whether this judge may measure on the GPU (its number on this machine) that the run's policy uses.
Result<bool> measuresOnGpu(const ParameterSet& parameters, int gpu);

/// The arguments of runStage for a run of a project.
struct StageSetup
{
    std::unique_ptr<Judge> judge;
    StageEnvironment environment;
};
Result<StageSetup> setUpStage(const RunDirectory& run, const CancelToken& cancel, const Progress& progress,
                              std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>());

} // namespace sparserl
