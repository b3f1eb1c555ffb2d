// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/background.h"
#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/device_judge.h"
#include "evaluation/steps/program_store.h"
#include "evaluation/steps/simulation.h"

#include <string>

namespace sparserl {

/// The judge that owns a device judge.
class JudgeHost : public Machinery
{
public:
    /// Returns the record of the reference program on a task's target.
    virtual Flow<VerdictRecord> judgeReference(TargetTask task, ProgramText program) = 0;
};

/// Objects that a judge lends to its device-specific part. They outlive that part.
struct JudgeServices
{
    const JudgeOptions& options;
    JudgeMetrics& metrics;
    RunnerPool& pool;
    Background& background;
    JobTrials& trials;
    ProgramStore& programs;
    Simulation& simulation;
    AllCases& cases;
    JudgeHost& host;
};

} // namespace sparserl
