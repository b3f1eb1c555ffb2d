// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/stages/simulation.h"
#include "evaluation/stages/target_stage.h"

#include <functional>
#include <memory>
#include <string>

namespace sparserl {

/// What a judge lends the stage of its device; all of it lives longer than the stage.
struct StageServices
{
    using OwnCompiled = std::function<void(std::shared_ptr<const Awaited<ProgramState>>)>;

    const JudgeOptions& options;
    JudgeMetrics& metrics;
    RunnerPool& pool;
    JobTrials& trials;
    Simulation& simulation;
    std::function<void(Error)> breakDown;        ///< Our machinery failed: nothing is judged any more.
    std::function<void(const std::string&)> log; ///< A sentence about the runners.
    /// Compiles a program of our own.
    std::function<void(const std::string& text, OwnCompiled done)> compileOwn;
    /// Judges the reference program on a task's matrix.
    std::function<void(const TargetTask& task, const std::string& program,
                       std::function<void(VerdictRecord)> finished)>
        judgeReference;
};

} // namespace sparserl
