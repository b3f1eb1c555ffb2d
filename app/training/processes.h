// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "project/run/run_directory.h"

#include <functional>

namespace sparserl::cli {

/// The number of processes for a run.
struct ProcessOptions
{
    int count = 0;         ///< 0: from torchrun or srun in the environment, otherwise one.
    double patience = 300; ///< Seconds to wait until all processes have joined.
};
/// Adds --nproc and --join-seconds.
void addProcessOptions(CLI::App& command, ProcessOptions& options);

/// Runs the stage of a run in the foreground (stage_output.h), with the processes from the options or the
/// environment. `open` creates or opens the run; with several processes, only process 0 calls it. Processes
/// started here end with this one, and their output is prefixed with their number.
int runWithProcesses(Context& context, const ProcessOptions& options,
                     const std::function<Result<RunDirectory>()>& open);

} // namespace sparserl::cli
