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

/// Loads all matrices of a project as targets of a stage; `doubles` is as in Project::load(). Fails if the
/// project has no matrices.
Result<std::vector<StageTarget>> loadStageTargets(Project& project, const CancelToken& cancel,
                                                  const Progress& progress, bool doubles = false);
/// Returns whether a run computes with values that floats cannot represent. False if its parameters cannot be
/// read.
bool needsDoubles(const RunDirectory& run);

/// Returns the source of a run's policy: the parent checkpoint (the default policy, or a path that is
/// absolute or relative to the project), otherwise the parent run. Empty if run.toml names neither.
std::filesystem::path parentOf(const RunConfig& config);

/// Creates the judge for the parameters of a run. If several processes share a machine, each gets its part of
/// the cores and of the GPUs.
Result<std::unique_ptr<Judge>> makeStageJudge(const ParameterSet& parameters,
                                              const ProcessGroup& processes = ProcessGroup());

/// Returns a function that creates judges for final figures: they alternate with the baseline and take cold
/// samples.
std::function<Result<std::unique_ptr<Judge>>()> finalJudges(ParameterSet parameters);

/// Returns whether the judge of a run may measure on the GPU `gpu` (its number on this machine).
Result<bool> measuresOnGpu(const ParameterSet& parameters, int gpu);

/// The arguments of runStage() for a run in a project.
struct StageSetup
{
    std::unique_ptr<Judge> judge;
    StageEnvironment environment;
};
Result<StageSetup> setUpStage(const RunDirectory& run, const CancelToken& cancel, const Progress& progress,
                              std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>());

} // namespace sparserl
