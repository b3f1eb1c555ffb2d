// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/stages/judge_state.h"

#include <functional>
#include <memory>
#include <string>

namespace sparserl {

/// Compiles a program of our own and calls `done` with it, as JudgePipeline::compileOwn does.
using CompileOwn = std::function<void(
    const std::string& text, std::function<void(std::shared_ptr<const Awaited<ProgramState>>)> done)>;

/// Compiles and assembles the reference program in a fresh process.
std::shared_ptr<Control> compileControl(RunnerPool& pool, const JudgeOptions& options);
/// Simulates the reference program on a small matrix in a fresh process, and compares.
std::shared_ptr<Control> simulatorControl(RunnerPool& pool, const JudgeOptions& options,
                                          const CompileOwn& compileOwn);

} // namespace sparserl
