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

/// What a project's whole job (job.toml: its stages in order, then the export) is called on the disk.
inline constexpr const char* jobFileName = "job.toml";

// `project` is the project's folder: nothing here reads project.toml.

/// Whether the project says what its job is.
bool hasJob(const std::filesystem::path& project);
/// Held by the process that runs the project's job, as long as it does. Fails with a sentence where another
/// one does.
Result<FileLock> lockJob(const std::filesystem::path& project);
/// The process that runs it now, or nothing. `launched`: one of launchJob(), which has the lock only after a
/// moment.
std::optional<std::int64_t> runningJob(const std::filesystem::path& project, std::int64_t launched = 0);
/// Starts `sparserl job` detached: it survives this process, and goes on where it was interrupted before.
/// What it says goes to cache/job.log, which begins anew. Its process id, or a sentence.
Result<std::int64_t> launchJob(const std::filesystem::path& project,
                               const std::filesystem::path& sparserlBinary);
/// How far the job is, as the process that runs it says.
struct JobProgress
{
    std::string outcome;     ///< "running", "done", "stopped" or "failed".
    double began = 0;        ///< Unix seconds.
    std::string stage;       ///< The stage at work, for people.
    std::int64_t number = 0; ///< Its place, from 1; 0: none yet.
    std::int64_t stages = 0; ///< How many the job has.
    std::string message;     ///< Why it failed, or where it stopped.
    bool logged = false;     ///< What it prints goes to cache/job.log, not to a terminal.
};
/// To cache/job.json.
Status writeJobProgress(const std::filesystem::path& project, const JobProgress& progress);
/// Nothing where no job has said anything yet.
std::optional<JobProgress> readJobProgress(const std::filesystem::path& project);
/// Whether what this process prints goes to cache/job.log.
bool printsToJobLog(const std::filesystem::path& project);
/// Asks it to save a checkpoint and to end; it may take some seconds. Fails where none runs.
Status stopJob(const std::filesystem::path& project);
/// The last lines that it has said, at most `count`, newest last.
std::vector<std::string> jobLogTail(const std::filesystem::path& project, std::size_t count);

} // namespace sparserl
