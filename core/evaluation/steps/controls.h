// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/program_store.h"

#include <memory>

namespace sparserl {

/// Compiles and assembles the reference program in a fresh process.
std::shared_ptr<Control> compileControl(RunnerPool& pool, const JudgeOptions& options);
/// Simulates the reference program on a small matrix in a fresh process, and checks its result.
std::shared_ptr<Control> simulatorControl(RunnerPool& pool, const JudgeOptions& options,
                                          ProgramStore& programs);

} // namespace sparserl
