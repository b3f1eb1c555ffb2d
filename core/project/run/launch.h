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

/// A worker that was started, or found running.
struct WorkerInfo
{
    std::filesystem::path run;
    std::int64_t pid = 0; ///< 0 if unknown.
    std::string host;
};

/// Makes a run directory under runs/ with the next free number, queued. The checkpoint that it starts from is
/// pinned; of that which it forks, it has a copy. Fails with a sentence, and makes nothing, where that is
/// gone.
Result<RunDirectory> makeRun(const Project& project, RunConfig config);
/// Makes a run directory under runs/ and starts `sparserl worker RUNDIR` detached: it survives this process.
/// Its output goes to worker.log. The checkpoint that it starts from is pinned. Fails with a sentence if the
/// binary or that checkpoint is missing; then no run is made.
Result<WorkerInfo> launchWorker(const Project& project, RunConfig config,
                                const std::filesystem::path& sparserlBinary);
/// Starts a worker on an existing run: it resumes from the last checkpoint. Fails if one lives.
Result<WorkerInfo> resumeWorker(const std::filesystem::path& runDirectory,
                                const std::filesystem::path& sparserlBinary);
/// Runs of the project that have a worker now, or one that was started.
std::vector<WorkerInfo> liveWorkers(const Project& project);
/// The last lines of worker.log, at most `count`.
std::vector<std::string> workerLogTail(const std::filesystem::path& runDirectory, std::size_t count);
/// Fails with a sentence where `sparserlBinary` cannot be run.
Status checkTrainingProgram(const std::filesystem::path& sparserlBinary);
/// `sparserl` beside the running program, or on PATH.
Result<std::filesystem::path> findSparserlBinary();

} // namespace sparserl
