// SPDX-License-Identifier: Apache-2.0
#include "project/run/launch.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/path_folders.h"
#include "base/subprocess.h"
#include "base/time.h"
#include "project/files/file_handle.h"
#include "project/files/log_tail.h"
#include "project/files/run_files.h"
#include "project/run/journal.h"
#include "project/run/worker_start.h"

#include <fmt/format.h>
#include <unistd.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

bool isExecutable(const fs::path& path)
{
    return glance(path).regular && ::access(path.c_str(), X_OK) == 0;
}

Result<WorkerInfo> start(const fs::path& run, const fs::path& binary)
{
    SPARSERL_CHECK(appendFile(run / workerLogFile,
                              fmt::format("---- {} worker started ----\n", isoTime(unixSeconds()))));
    SpawnOptions options;
    options.argv = {binary.string(), "worker", run.string(), "--control-begin",
                    std::to_string(controlLength(run))};
    options.input = StreamEnd::null();
    options.output = StreamEnd::toFile(run / workerLogFile);
    options.error = StreamEnd::toFile(run / workerLogFile);
    SPARSERL_TRY(const auto pid, spawnDetached(options));
    SPARSERL_CHECK(markWorkerStart(run, pid));
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

namespace {

/// The checkpoint that a fork goes on from; nothing for any other run.
Result<std::optional<CheckpointInfo>> forkSource(const Project& project, const RunConfig& config)
{
    if (config.forkOf.empty())
        return std::nullopt;
    SPARSERL_TRY(const auto run, RunDirectory::open(project.runsPath() / fileNameFor(config.forkOf)));
    SPARSERL_TRY(auto checkpoint, run.checkpoint(config.forkCheckpoint));
    return checkpoint;
}

/// A state holds the values that its run had then, which go before those of run.toml when that run resumes. A
/// fork's own are in its run.toml; what the other run had is kept beside them.
Status setParametersApart(const fs::path& file)
{
    if (!glance(file).regular)
        return {};
    SPARSERL_TRY(auto state, readControlJson(file));
    if (!state.is_object())
        return failAt(file.string(), 0, "this is not the state of a run", "Fork from another checkpoint");
    state[parametersOfParent] = jsonValue(state, "parameters", nlohmann::json::object());
    state.erase("parameters");
    return writeJson(file, state);
}

/// Gives a new run a copy of another one's checkpoint, as its own first one: it goes on from there as if it
/// had made it.
Status takeCheckpoint(RunDirectory& run, const CheckpointInfo& from)
{
    SPARSERL_TRY(auto pending, run.beginCheckpoint(from.step));
    SPARSERL_TRY(const auto entries, listDirectory(from.path));
    for (const fs::path& entry : entries) {
        const std::string name = entry.filename().string();
        // What is of the checkpoint itself, not of the policy in it, the new one writes itself.
        if (name == "checkpoint.json" || name == "DONE" || name == "PIN" || name == runFile)
            continue;
        std::error_code code;
        copyEntry(entry, pending.directory() / name, code);
        if (code)
            return fail(systemError("copy into the new run", entry, code.value()));
    }
    SPARSERL_CHECK(setParametersApart(pending.directory() / "state.json"));
    SPARSERL_TRY(auto journal, JournalWriter::open(run.path() / journalFile, 0));
    SPARSERL_TRY(const auto made, pending.commit(journal));
    return {};
}

} // namespace

Result<RunDirectory> makeRun(const Project& project, RunConfig config)
{
    SPARSERL_CHECK(keepCheckpoint(config.parentCheckpoint));
    SPARSERL_TRY(const auto source, forkSource(project, config));
    SPARSERL_CHECK(makeDirectories(project.runsPath()));
    config.project = project.path().string();
    // Creating the folder decides who gets a number that two launches want.
    fs::path path;
    for (int attempt = 0;; ++attempt) {
        path = project.newRunPath(config.stage);
        std::error_code code;
        if (makeFolder(path, code))
            break;
        if (code || attempt > 100)
            return fail(systemError("make the run's folder", path, code ? code.value() : EEXIST));
    }
    auto run = RunDirectory::create(path, std::move(config));
    std::error_code ignored;
    if (!run)
        removeEntry(path, ignored); // the number is free again
    if (!run || !source)
        return run;
    if (const auto taken = takeCheckpoint(*run, *source); !taken) {
        removeTree(path, ignored); // a fork without its checkpoint would begin at the start
        return fail(taken.error());
    }
    return run;
}

Result<WorkerInfo> launchWorker(const Project& project, RunConfig config, const fs::path& sparserlBinary)
{
    SPARSERL_CHECK(checkTrainingProgram(sparserlBinary));
    SPARSERL_TRY(const auto run, makeRun(project, std::move(config)));
    return start(run.path(), sparserlBinary);
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
        if (!hasWorker(run))
            continue;
        WorkerInfo info;
        info.run = run;
        info.pid = FileLock::holder(run / workerLock).value_or(static_cast<pid_t>(startedWorker(run)));
        if (const auto heartbeat = readHeartbeat(run))
            info.host = heartbeat->host;
        workers.push_back(std::move(info));
    }
    return workers;
}

std::vector<std::string> workerLogTail(const fs::path& runDirectory, std::size_t count)
{
    return lastLines(runDirectory / workerLogFile, count);
}

Result<fs::path> findSparserlBinary()
{
    fs::path beside = executablePath().parent_path() / "sparserl";
    if (isExecutable(beside))
        return beside;
    for (const fs::path& folder : pathFolders())
        if (isExecutable(folder / "sparserl"))
            return folder / "sparserl";
    return fail("the program sparserl, which does the training, was not found beside this one or on PATH",
                "Build the target sparserl, or reinstall the package");
}

} // namespace sparserl
