// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_options.h"
#include "evaluation/runners/job_trials.h"
#include "evaluation/steps/program_store.h"

#include <memory>

namespace sparserl {

/// Creates a control that compiles and assembles the reference program in a fresh process.
std::shared_ptr<Control> compileControl(RunnerPool& pool, const JudgeOptions& options);
/// Creates a control that simulates the reference program on a small matrix in a fresh process and checks the
/// result.
std::shared_ptr<Control> simulatorControl(RunnerPool& pool, const JudgeOptions& options,
                                          ProgramStore& programs);

} // namespace sparserl
