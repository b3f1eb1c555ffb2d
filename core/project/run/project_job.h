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

/// The file of a project's job: its stages in order, then the export.
inline constexpr const char* jobFileName = "job.toml";

// `project` is the project's folder; these functions do not read project.toml.

/// Whether the project defines a job.
bool hasJob(const std::filesystem::path& project);
/// The lock of the process that runs the project's job. Fails if another process holds it.
Result<FileLock> lockJob(const std::filesystem::path& project);
/// The process that runs the job now, or nullopt. `launched`: a process from launchJob(), which takes the
/// lock with a short delay.
std::optional<std::int64_t> runningJob(const std::filesystem::path& project, std::int64_t launched = 0);
/// Starts a detached `sparserl job`, which survives this process and resumes an interrupted job. Its output
/// replaces cache/job.log. Returns its process id.
Result<std::int64_t> launchJob(const std::filesystem::path& project,
                               const std::filesystem::path& sparserlBinary);
/// Progress of the job, as reported by its process.
struct JobProgress
{
    std::string outcome;     ///< "running", "done", "stopped" or "failed".
    double began = 0;        ///< Unix seconds.
    std::string stage;       ///< The current stage, for display.
    std::int64_t number = 0; ///< Its position, from 1; 0: none yet.
    std::int64_t stages = 0; ///< Number of stages.
    std::string message;     ///< Why it failed, or where it stopped.
    bool logged = false;     ///< Its output goes to cache/job.log, not to a terminal.
};
/// Writes cache/job.json.
Status writeJobProgress(const std::filesystem::path& project, const JobProgress& progress);
/// nullopt if no job has reported yet.
std::optional<JobProgress> readJobProgress(const std::filesystem::path& project);
/// Whether the output of this process goes to cache/job.log.
bool printsToJobLog(const std::filesystem::path& project);
/// Asks the job to save a checkpoint and end, which may take several seconds. Fails if none runs.
Status stopJob(const std::filesystem::path& project);
/// The last lines of its output, at most `count`, newest last.
std::vector<std::string> jobLogTail(const std::filesystem::path& project, std::size_t count);

} // namespace sparserl
