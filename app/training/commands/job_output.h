// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "project/run/project_job.h"
#include "training/stages/job_runner.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace sparserl::cli {

/// Reports the progress of a project's job to other programs (cache/job.json) while this process holds its
/// lock. Write failures are ignored, because the report is optional.
class JobNotice
{
public:
    JobNotice(std::filesystem::path project, std::size_t stages);
    void stage(const std::string& name, std::size_t index);
    /// Sets the message that says why the job fails or where it stops. end() writes it.
    void say(const std::string& message) { m_progress.message = message; }
    /// Writes the end of the job. `status`: the exit status of the command.
    void end(int status);

private:
    void write() const;
    std::filesystem::path m_project;
    JobProgress m_progress;
};

/// Runs a job in the foreground: stage events on stdout, progress on stderr, with --json the journal entries.
/// Returns Done, Interrupted (after a sentence about the job's state) or an error status.
int runShownJob(const Context& context, Project& project, const Job& job, JobNotice* notice = nullptr);

} // namespace sparserl::cli
