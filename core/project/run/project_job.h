// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/lock.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The file that defines a project's job: its stages in order, then the export.
inline constexpr const char* jobFileName = "job.toml";

// In the functions below, `project` is the project's folder. They do not read project.toml.

/// Returns whether the project defines a job.
bool hasJob(const std::filesystem::path& project);
/// Takes the lock of the process that runs the project's job. Fails if another process holds it.
Result<FileLock> lockJob(const std::filesystem::path& project);
/// Returns the id of the process that runs the job now, or nullopt. `launched` is a process from launchJob(),
/// which needs a moment before it holds the lock; 0: none.
std::optional<std::int64_t> runningJob(const std::filesystem::path& project, std::int64_t launched = 0);
/// Starts a detached `sparserl job`, which survives this process and resumes an interrupted job. Its output
/// replaces the contents of cache/job.log. Returns its process id.
Result<std::int64_t> launchJob(const std::filesystem::path& project,
                               const std::filesystem::path& sparserlBinary);
/// The progress of a job, as its process reports it.
struct JobProgress
{
    std::string outcome;     ///< "running", "done", "stopped" or "failed".
    double began = 0;        ///< Unix seconds.
    std::string stage;       ///< The current stage, for display.
    std::int64_t number = 0; ///< Position of the current stage, from 1; 0: none yet.
    std::int64_t stages = 0; ///< Number of stages.
    std::string message;     ///< Why the job failed, or where it stopped.
    bool logged = false;     ///< The job's output goes to cache/job.log instead of a terminal.
};
/// Writes cache/job.json.
Status writeJobProgress(const std::filesystem::path& project, const JobProgress& progress);
/// Reads cache/job.json. Returns nullopt if no job has reported yet.
std::optional<JobProgress> readJobProgress(const std::filesystem::path& project);
/// Returns whether the output of this process goes to cache/job.log.
bool printsToJobLog(const std::filesystem::path& project);
/// Asks the job to save a checkpoint and end, which may take several seconds. Fails if no job is running.
Status stopJob(const std::filesystem::path& project);
/// Returns the last lines of cache/job.log, at most `count`, the newest last.
std::vector<std::string> jobLogTail(const std::filesystem::path& project, std::size_t count);

} // namespace sparserl
