// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "project/run/run_directory.h"

#include <functional>

namespace sparserl::cli {

/// How many processes work on a run.
struct ProcessOptions
{
    int count = 0;         ///< 0: what torchrun or srun says in the environment, else one.
    double patience = 300; ///< Seconds that all of them have to come.
};
/// --nproc and --join-seconds.
void addProcessOptions(CLI::App& command, ProcessOptions& options);

/// Runs the stage of a run in the foreground (stage_output.h), with the processes that the options or the
/// environment ask for. `open` makes or opens the run; of several processes only process 0 calls it.
/// Processes that this one has started end with it, and what they print is printed with their number before
/// it.
int runWithProcesses(Context& context, const ProcessOptions& options,
                     const std::function<Result<RunDirectory>()>& open);

} // namespace sparserl::cli
