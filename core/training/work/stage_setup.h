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

/// All matrices of a project as stages see them, with `doubles` as Project::load has it. Fails for a project
/// without any.
Result<std::vector<StageTarget>> loadStageTargets(Project& project, const CancelToken& cancel,
                                                  const Progress& progress, bool doubles = false);
/// Whether a run computes with what floats cannot hold. False for one whose parameters cannot be read.
bool needsDoubles(const RunDirectory& run);

/// Where a run's policy comes from: the parent checkpoint (absolute, or relative to the project), else the
/// parent run of the project; empty where run.toml names neither.
std::filesystem::path parentOf(const RunConfig& config);

/// The judge that a run's parameters ask for. Of several processes of a machine each gets its part of the
/// cores, and of the GPUs.
Result<std::unique_ptr<Judge>> makeStageJudge(const ParameterSet& parameters,
                                              const ProcessGroup& processes = ProcessGroup());

/// Makes the judges of figures that count: in turn with the baseline, and with cold samples.
std::function<Result<std::unique_ptr<Judge>>()> finalJudges(ParameterSet parameters);

/// Whether that judge may measure on a GPU (its number on this machine) that the run's policy computes on.
Result<bool> measuresOnGpu(const ParameterSet& parameters, int gpu);

/// Everything runStage needs for a run of a project.
struct StageSetup
{
    std::unique_ptr<Judge> judge;
    StageEnvironment environment;
};
Result<StageSetup> setUpStage(const RunDirectory& run, const CancelToken& cancel, const Progress& progress,
                              std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>());

} // namespace sparserl
