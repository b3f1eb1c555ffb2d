// SPDX-License-Identifier: Apache-2.0
#include "project/launch.h"

#include "base/files.h"
#include "base/lock.h"
#include "base/subprocess.h"
#include "base/time.h"
#include "project/file_handle.h"
#include "project/log_tail.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

bool isExecutable(const fs::path& path)
{
    std::error_code code;
    return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

Result<WorkerInfo> start(const fs::path& run, const fs::path& binary)
{
    SPARSERL_CHECK(
        appendFile(run / "worker.log", fmt::format("---- {} worker started ----\n", isoTime(unixSeconds()))));
    SpawnOptions options;
    options.argv = {binary.string(), "worker", run.string(), "--control-begin",
                    std::to_string(controlLength(run))};
    options.input = StreamTarget::null();
    options.output = StreamTarget::toFile(run / "worker.log");
    options.error = StreamTarget::toFile(run / "worker.log");
    SPARSERL_TRY(const auto pid, spawnDetached(options));
    WorkerInfo info;
    info.run = run;
    info.pid = pid;
    return info;
}

} // namespace

Status checkTrainingProgram(const fs::path& binary)
{
    if (isExecutable(binary))
        return {};
    return failAt(binary.string(), 0, "the program that does the training is not there",
                  "Build the target sparserl, or reinstall the package");
}

Result<WorkerInfo> launchWorker(const Project& project, RunConfig config, const fs::path& sparserlBinary)
{
    SPARSERL_CHECK(checkTrainingProgram(sparserlBinary));
    SPARSERL_CHECK(makeDirectories(project.runsPath()));
    config.project = project.path().string();
    // Creating the folder decides who gets a number that two launches want.
    fs::path path;
    for (int attempt = 0;; ++attempt) {
        path = project.newRunPath(config.stage);
        std::error_code code;
        if (fs::create_directory(path, code))
            break;
        if (code || attempt > 100)
            return fail(systemError("make the run's folder", path, code ? code.value() : EEXIST));
    }
    const auto run = RunDirectory::create(path, std::move(config));
    if (!run) {
        std::error_code ignored;
        fs::remove(path, ignored); // the number is free again
        return fail(run.error());
    }
    return start(run->path(), sparserlBinary);
}

Result<WorkerInfo> resumeWorker(const fs::path& runDirectory, const fs::path& sparserlBinary)
{
    SPARSERL_CHECK(checkTrainingProgram(sparserlBinary));
    SPARSERL_TRY(const auto run, RunDirectory::open(runDirectory));
    if (run.hasWorker())
        return failAt(run.path().string(), 0, "a worker is working on this run already");
    return start(run.path(), sparserlBinary);
}

std::vector<WorkerInfo> liveWorkers(const Project& project)
{
    std::vector<WorkerInfo> workers;
    for (const fs::path& run : project.runDirectories()) {
        if (!FileLock::isLocked(run / "worker.lock"))
            continue;
        WorkerInfo info;
        info.run = run;
        info.pid = FileLock::holder(run / "worker.lock").value_or(0);
        if (const auto heartbeat = readHeartbeat(run))
            info.host = heartbeat->host;
        workers.push_back(std::move(info));
    }
    return workers;
}

std::vector<std::string> workerLogTail(const fs::path& runDirectory, std::size_t count)
{
    return lastLines(runDirectory / "worker.log", count);
}

Result<fs::path> findSparserlBinary()
{
    const fs::path beside = executablePath().parent_path() / "sparserl";
    if (isExecutable(beside))
        return beside;
    const char* variable = std::getenv("PATH");
    const std::string path = variable != nullptr ? variable : "";
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const fs::path candidate = fs::path(path.substr(at, end - at)) / "sparserl";
        if (end > at && isExecutable(candidate))
            return candidate;
        at = end + 1;
    }
    return fail("the program sparserl, which does the training, was not found beside this one or on PATH",
                "Build the target sparserl, or reinstall the package");
}

} // namespace sparserl
