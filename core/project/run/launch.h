// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"
#include "project/run/run_directory.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A worker that was started or that was found running.
struct WorkerInfo
{
    std::filesystem::path run;
    std::int64_t pid = 0; ///< 0 if unknown.
    std::string host;
};

/// Creates the directory of a queued run below runs/, with the next free number. Pins the checkpoint that the
/// run starts from; a fork gets a copy of its checkpoint. If the checkpoint does not exist, fails and creates
/// nothing.
Result<RunDirectory> makeRun(const Project& project, RunConfig config);
/// Creates a run as makeRun() does, and starts a detached `sparserl worker RUNDIR`, which survives this
/// process. The worker's output goes to worker.log. If the program or the checkpoint is missing, fails and
/// creates no run.
Result<WorkerInfo> launchWorker(const Project& project, RunConfig config,
                                const std::filesystem::path& sparserlBinary);
/// Starts a worker for an existing run. The worker resumes from the last checkpoint. Fails if the run already
/// has a worker.
Result<WorkerInfo> resumeWorker(const std::filesystem::path& runDirectory,
                                const std::filesystem::path& sparserlBinary);
/// Returns the workers of the project's runs, including workers that have just been started.
std::vector<WorkerInfo> liveWorkers(const Project& project);
/// Returns the last lines of worker.log, at most `count`.
std::vector<std::string> workerLogTail(const std::filesystem::path& runDirectory, std::size_t count);
/// Fails if `sparserlBinary` cannot be executed.
Status checkTrainingProgram(const std::filesystem::path& sparserlBinary);
/// Finds `sparserl` beside the running program, or else on the PATH.
Result<std::filesystem::path> findSparserlBinary();

} // namespace sparserl
