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

/// A worker that was started or found running.
struct WorkerInfo
{
    std::filesystem::path run;
    std::int64_t pid = 0; ///< 0 if unknown.
    std::string host;
};

/// Creates a queued run directory under runs/ with the next free number. Pins its initial checkpoint; a fork
/// gets a copy of its checkpoint. If the checkpoint does not exist, fails and creates nothing.
Result<RunDirectory> makeRun(const Project& project, RunConfig config);
/// Creates a run directory under runs/ and starts a detached `sparserl worker RUNDIR`, which survives this
/// process. Its output goes to worker.log. Pins the initial checkpoint. If the binary or the checkpoint is
/// missing, fails and creates no run.
Result<WorkerInfo> launchWorker(const Project& project, RunConfig config,
                                const std::filesystem::path& sparserlBinary);
/// Starts a worker on an existing run, which resumes from the last checkpoint. Fails if it already has a
/// worker.
Result<WorkerInfo> resumeWorker(const std::filesystem::path& runDirectory,
                                const std::filesystem::path& sparserlBinary);
/// Runs of the project with a live or just started worker.
std::vector<WorkerInfo> liveWorkers(const Project& project);
/// The last lines of worker.log, at most `count`.
std::vector<std::string> workerLogTail(const std::filesystem::path& runDirectory, std::size_t count);
/// Fails if `sparserlBinary` cannot be executed.
Status checkTrainingProgram(const std::filesystem::path& sparserlBinary);
/// `sparserl` beside the running program, or on PATH.
Result<std::filesystem::path> findSparserlBinary();

} // namespace sparserl
