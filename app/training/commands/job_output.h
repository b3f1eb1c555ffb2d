// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "project/run/project_job.h"
#include "training/stages/job_runner.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace sparserl::cli {

/// Tells other programs how far a project's job is (cache/job.json), for as long as this one holds its lock.
/// They can do without: what cannot be written is left.
class JobNotice
{
public:
    JobNotice(std::filesystem::path project, std::size_t stages);
    void stage(const std::string& name, std::size_t index);
    /// Why it fails, or where it stops; told by end().
    void say(const std::string& message) { m_progress.message = message; }
    /// With the status of the command.
    void end(int status);

private:
    void write() const;
    std::filesystem::path m_project;
    JobProgress m_progress;
};

/// Runs a job in the foreground: what each stage does on stdout, progress on stderr, with --json the journal
/// entries. Returns Done, Interrupted (after a sentence about where it stands) or the status of an error.
int runShownJob(const Context& context, Project& project, const Job& job, JobNotice* notice = nullptr);

} // namespace sparserl::cli
