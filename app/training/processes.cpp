// SPDX-License-Identifier: Apache-2.0
#include "app/training/processes.h"

#include "app/training/stage_output.h"
#include "app/training/worker_processes.h"
#include "base/files.h"
#include "base/json.h"
#include "base/secret.h"
#include "training/stages/join_processes.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace sparserl::cli {

namespace {

std::chrono::milliseconds patienceOf(const ProcessOptions& options)
{
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * options.patience));
}

/// The words of this process's command line but the first, which is a path of this machine.
std::vector<std::string> ownWords()
{
    const std::string line = readFile("/proc/self/cmdline").value_or(std::string());
    std::vector<std::string> words;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = std::min(line.find('\0', at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    if (!words.empty())
        words.erase(words.begin());
    return words;
}

/// What process 0 tells the others: which run, or why there is none.
std::string runMessage(const Result<RunDirectory>& run)
{
    return dumpJson(run ? nlohmann::json{{"run", run->path().string()}}
                        : nlohmann::json{{"error", run.error().sentence()}});
}

/// Process 0 of a group on this machine, with the others as children.
int leadChildren(Context& context, const ProcessOptions& options, RunDirectory& run)
{
    ProcessPlace place;
    place.size = place.localSize = options.count;
    place.secret = fmt::format("{}", drawSecret());
    const auto meeting = MeetingPlace::open(place, patienceOf(options));
    if (!meeting)
        return context.error(meeting.error());
    WorkerProcesses::Options starting;
    starting.program = context.executable;
    starting.run = run.path();
    starting.count = options.count;
    starting.port = meeting->port();
    starting.secret = place.secret;
    starting.patience = options.patience;
    starting.onLine = [&](int rank, std::string_view line) {
        context.note(fmt::format("[process {}] {}", rank, line));
    };
    starting.onFailure = [&](const std::string& sentence) { meeting->reportFailure(sentence); };
    const auto workers = WorkerProcesses::start(starting);
    if (!workers)
        return context.error(workers.error());
    const auto processes = meeting->join();
    if (!processes)
        return context.error(processes.error());
    try {
        (*processes)->broadcast(runMessage(run));
        return runInForeground(context, run, *processes);
    } catch (const ProcessFault& fault) {
        return context.error({fault.what(), {}, 0, {}});
    }
}

/// One of the processes that torchrun or srun has started; all of them have the same command line.
int joinOthers(Context& context, const ProcessOptions& options, const ProcessPlace& place,
               const std::function<Result<RunDirectory>()>& open)
{
    const auto meeting = MeetingPlace::open(place, patienceOf(options));
    if (!meeting)
        return context.error(meeting.error());
    const auto processes = meeting->join();
    if (!processes)
        return context.error(processes.error());
    auto& group = **processes;
    try {
        if (group.leads()) {
            auto run = open();
            group.broadcast(runMessage(run));
            return run ? runInForeground(context, *run, *processes) : context.error(run.error());
        }
        const auto message = parseJson(group.broadcast(std::string()));
        if (!message)
            return context.error(message.error());
        if (const auto error = jsonValue<std::string>(*message, "error", {}); !error.empty())
            return context.error({error, {}, 0, {}});
        auto run = RunDirectory::open(jsonValue<std::string>(*message, "run", {}));
        return run ? runInForeground(context, *run, *processes) : context.error(run.error());
    } catch (const ProcessFault& fault) {
        return context.error({fault.what(), {}, 0, {}});
    }
}

} // namespace

void addProcessOptions(CLI::App& command, ProcessOptions& options)
{
    command
        .add_option(
            "--nproc", options.count,
            "Processes of this machine that share the work; default: set by torchrun or srun, else one.")
        ->check(CLI::Range(1, 1024));
    command.add_option("--join-seconds", options.patience, "Time for all processes to connect.")
        ->check(CLI::Range(0.1, 86400.0))
        ->capture_default_str();
}

int runWithProcesses(Context& context, const ProcessOptions& options,
                     const std::function<Result<RunDirectory>()>& open)
{
    const auto place = placeFromEnvironment();
    if (!place)
        return context.error(place.error());
    if (*place && options.count > 0)
        return context.wrongUsage({"torchrun or srun has started this process as one of several already",
                                   {},
                                   0,
                                   "Omit --nproc, or start sparserl without torchrun or srun"});
    if (*place) {
        ProcessPlace own = **place;
        own.secret = secretOf(own, ownWords());
        return joinOthers(context, options, own, open);
    }
    auto run = open();
    if (!run)
        return context.error(run.error());
    return options.count > 1 ? leadChildren(context, options, *run) : runInForeground(context, *run);
}

} // namespace sparserl::cli
