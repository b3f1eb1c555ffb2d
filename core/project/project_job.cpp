// SPDX-License-Identifier: Apache-2.0
#include "project/project_job.h"

#include "base/files.h"
#include "base/subprocess.h"
#include "project/launch.h"
#include "project/log_tail.h"

#include <csignal>
#include <fmt/format.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

fs::path lockPath(const Project& project)
{
    return project.cachePath() / "job.lock";
}

fs::path logPath(const Project& project)
{
    return project.cachePath() / "job.log";
}

} // namespace

bool hasJob(const Project& project)
{
    std::error_code ignored;
    return fs::exists(project.path() / jobFileName, ignored);
}

Result<FileLock> lockJob(const Project& project)
{
    SPARSERL_CHECK(makeDirectories(project.cachePath()));
    SPARSERL_TRY(auto lock, FileLock::tryLock(lockPath(project)));
    if (!lock)
        return failAt(project.path().string(), 0, "another process runs this project's job",
                      "Wait for it, or stop it first");
    return std::move(*lock);
}

std::optional<std::int64_t> runningJob(const Project& project, std::int64_t launched)
{
    if (const auto holder = FileLock::holder(lockPath(project)))
        return *holder;
    if (launched > 1 && ::kill(static_cast<pid_t>(launched), 0) == 0)
        return launched;
    return std::nullopt;
}

Result<std::int64_t> launchJob(const Project& project, const fs::path& sparserlBinary)
{
    SPARSERL_CHECK(checkTrainingProgram(sparserlBinary));
    if (!hasJob(project))
        return failAt((project.path() / jobFileName).string(), 0, "this project does not say what its job is",
                      "Write its stages there; projects/quickstart has an example");
    // The new process takes the lock itself: this one only looks.
    if (runningJob(project))
        return failAt(project.path().string(), 0, "this project's job is running already");
    SPARSERL_CHECK(makeDirectories(project.cachePath()));
    SPARSERL_CHECK(writeFileAtomic(logPath(project), ""));
    SpawnOptions options;
    options.argv = {sparserlBinary.string(), "job", project.path().string()};
    options.input = StreamTarget::null();
    options.output = StreamTarget::toFile(logPath(project));
    options.error = StreamTarget::toFile(logPath(project));
    SPARSERL_TRY(const auto pid, spawnDetached(options));
    return pid;
}

Status stopJob(const Project& project)
{
    const auto pid = runningJob(project);
    // Between the question and the signal the number cannot have become another process's: it would have to
    // end first, and then nobody holds the lock.
    if (!pid || *pid <= 1 || ::kill(static_cast<pid_t>(*pid), SIGINT) != 0)
        return failAt(project.path().string(), 0, "this project's job is not running");
    return {};
}

std::vector<std::string> jobLogTail(const Project& project, std::size_t count)
{
    return lastLines(logPath(project), count);
}

} // namespace sparserl
