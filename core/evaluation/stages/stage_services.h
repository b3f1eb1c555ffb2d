// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/stages/program_stage.h"
#include "evaluation/stages/simulation.h"
#include "evaluation/stages/target_stage.h"

#include <string>

namespace sparserl {

/// The judge that a stage works for.
class JudgeHost : public Machinery
{
public:
    /// The record of the reference program on a task's target.
    virtual Flow<VerdictRecord> judgeReference(TargetTask task, ProgramText program) = 0;
};

/// What a judge lends the stage of its device; all of it lives longer than the stage.
struct StageServices
{
    const JudgeOptions& options;
    JudgeMetrics& metrics;
    RunnerPool& pool;
    JobTrials& trials;
    ProgramStage& programs;
    Simulation& simulation;
    JudgeHost& host;
};

} // namespace sparserl
