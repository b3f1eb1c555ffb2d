// SPDX-License-Identifier: Apache-2.0
#include "project/run/project_job.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "project/files/index_file.h"
#include "project/files/log_tail.h"
#include "project/run/launch.h"

#include <csignal>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

fs::path lockPath(const fs::path& project)
{
    return project / "cache" / "job.lock";
}

fs::path logPath(const fs::path& project)
{
    return project / "cache" / "job.log";
}

fs::path progressPath(const fs::path& project)
{
    return project / "cache" / "job.json";
}

} // namespace

bool hasJob(const fs::path& project)
{
    return glance(project / jobFileName).exists;
}

Result<FileLock> lockJob(const fs::path& project)
{
    SPARSERL_CHECK(makeDirectories(project / "cache"));
    SPARSERL_TRY(auto lock, FileLock::tryLock(lockPath(project)));
    if (!lock)
        return failAt(project.string(), 0, "another process runs this project's job",
                      "Wait for it, or stop it first");
    return std::move(*lock);
}

std::optional<std::int64_t> runningJob(const fs::path& project, std::int64_t launched)
{
    if (const auto holder = FileLock::holder(lockPath(project)))
        return *holder;
    if (launched > 1 && ::kill(static_cast<pid_t>(launched), 0) == 0)
        return launched;
    return std::nullopt;
}

Result<std::int64_t> launchJob(const fs::path& project, const fs::path& sparserlBinary)
{
    SPARSERL_CHECK(checkTrainingProgram(sparserlBinary));
    if (!hasJob(project))
        return failAt((project / jobFileName).string(), 0, "this project does not say what its job is",
                      "Write its stages there; projects/quickstart has an example");
    // The new process takes the lock itself: this one only looks.
    if (runningJob(project))
        return failAt(project.string(), 0, "this project's job is running already");
    SPARSERL_CHECK(makeDirectories(project / "cache"));
    SPARSERL_CHECK(writeFileAtomic(logPath(project), ""));
    std::error_code ignored;
    removeEntry(progressPath(project), ignored); // of the job before
    SpawnOptions options;
    options.argv = {sparserlBinary.string(), "job", project.string()};
    options.input = StreamEnd::null();
    options.output = StreamEnd::toFile(logPath(project));
    options.error = StreamEnd::toFile(logPath(project));
    SPARSERL_TRY(const auto pid, spawnDetached(options));
    return pid;
}

Status writeJobProgress(const fs::path& project, const JobProgress& progress)
{
    return writeJson(progressPath(project), {{"outcome", progress.outcome},
                                             {"began", progress.began},
                                             {"stage", progress.stage},
                                             {"number", progress.number},
                                             {"stages", progress.stages},
                                             {"message", progress.message},
                                             {"logged", progress.logged}});
}

std::optional<JobProgress> readJobProgress(const fs::path& project)
{
    const auto json = readControlJson(progressPath(project));
    if (!json || !json->is_object())
        return std::nullopt;
    JobProgress progress;
    progress.outcome = jsonValue<std::string>(*json, "outcome", {});
    progress.began = jsonValue(*json, "began", 0.0);
    progress.stage = jsonValue<std::string>(*json, "stage", {});
    progress.number = jsonValue<std::int64_t>(*json, "number", 0);
    progress.stages = jsonValue<std::int64_t>(*json, "stages", 0);
    progress.message = jsonValue<std::string>(*json, "message", {});
    progress.logged = jsonValue(*json, "logged", false);
    return progress;
}

bool printsToJobLog(const fs::path& project)
{
    struct stat printed = {};
    return ::fstat(STDOUT_FILENO, &printed) == 0 &&
           FileIdentity{printed.st_dev, printed.st_ino} == identityOf(logPath(project));
}

Status stopJob(const fs::path& project)
{
    const auto pid = FileLock::localHolder(lockPath(project));
    if (!pid || ::kill(*pid, SIGINT) != 0)
        return failAt(project.string(), 0, "this project's job is not running");
    return {};
}

std::vector<std::string> jobLogTail(const fs::path& project, std::size_t count)
{
    return lastLines(logPath(project), count);
}

} // namespace sparserl
