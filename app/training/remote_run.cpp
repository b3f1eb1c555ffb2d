// SPDX-License-Identifier: Apache-2.0
#include "app/training/remote_run.h"

#include "base/lock.h"
#include "base/shell.h"
#include "project/files/run_files.h"
#include "project/run/generation.h"
#include "project/run/heartbeat.h"
#include "project/run/journal.h"
#include "project/run/journal_tail.h"
#include "project/run/remote_mark.h"
#include "remote/known_hosts.h"
#include "remote/remote_launch.h"

#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

namespace sparserl::cli {

namespace {

constexpr std::chrono::milliseconds lookEvery(300);

void showEntry(const Context& context, const JournalEntry& entry)
{
    if (std::holds_alternative<MetricEvent>(entry.event) || std::holds_alternative<StateEvent>(entry.event))
        context.emit(toJson(entry));
    if (const auto* log = std::get_if<LogEvent>(&entry.event);
        log && (!context.quiet || log->level != "info"))
        context.print(log->level == "info" ? log->text : log->level + ": " + log->text);
}

/// How the run ended there, as the status of this program.
int endOf(const Context& context, const std::filesystem::path& run, const RemoteMark& mark)
{
    const auto state = lastState(run, {readGeneration(run), 0});
    const RunState last = state ? state->state : RunState::Queued;
    if (last == RunState::Done || last == RunState::Paused) {
        context.print(
            fmt::format("{} on {}.", last == RunState::Done ? "Done" : "Stopped on request", mark.host));
        return Done;
    }
    return context.error({state && !state->reason.empty()
                              ? saidThere(mark, state->reason)
                              : fmt::format("the worker on {} has ended", mark.host),
                          (run / workerLogFile).string(), 0,
                          shellCommand("sparserl train --run {}", {run.string()}) + " resumes it"});
}

/// Gives each entry of a journal once, although it is read from its start again when a resume cuts it.
class NewEntries
{
public:
    explicit NewEntries(std::filesystem::path run)
        : m_run(std::move(run))
    {
    }
    Status read(const std::function<void(const JournalEntry&)>& take)
    {
        for (;;) {
            SPARSERL_TRY(const auto batch, readJournal(m_run, m_at));
            m_at = batch.next;
            for (const JournalEntry& entry : batch.entries)
                if (const auto place = std::pair(entry.gen, entry.seq); place > m_last) {
                    m_last = place;
                    take(entry);
                }
            if (batch.atEnd && !batch.rewound)
                return {};
        }
    }

private:
    std::filesystem::path m_run;
    JournalPosition m_at;
    std::pair<int, std::int64_t> m_last{-1, -1}; ///< What a resume writes has a higher generation.
};

int watch(const Context& context, const std::filesystem::path& run, NewEntries journal)
{
    std::string told, noticed;
    for (;;) {
        const auto mark = readRemoteMark(run); // before the journal: what it says has ended is all there
        if (const auto read = journal.read([&](const JournalEntry& entry) { showEntry(context, entry); });
            !read)
            return context.error(read.error());
        if (!mark)
            return context.error({"the run is gone", run.string(), 0, {}});
        if (mark->ended) {
            context.endProgress();
            return endOf(context, run, *mark);
        }
        const std::string problem = isReached(run, *mark) ? std::string() : unreachedSentence(*mark);
        if (mark->answered && !mark->problem.empty()) { // waiting does not mend it
            context.endProgress();
            return context.error({mark->problem, run.string(), 0, mark->remedy});
        }
        if (problem != told && !problem.empty())
            context.note(problem);
        told = problem;
        if (mark->notice != noticed && !mark->notice.empty())
            context.note("warning: " + mark->notice);
        noticed = mark->notice;
        if (const auto heartbeat = readHeartbeat(run); heartbeat && heartbeat->totalSteps > 0)
            context.progress(static_cast<double>(heartbeat->step) /
                                 static_cast<double>(heartbeat->totalSteps),
                             heartbeat->phase);
        if (context.cancel.cancelled()) {
            context.endProgress();
            context.print(fmt::format("The run continues on {}; {} stops it, `sparserl runs` shows its state",
                                      mark->host, shellCommand("sparserl remote stop {}", {run.string()})));
            return Interrupted;
        }
        std::this_thread::sleep_for(lookEvery);
    }
}

Progress progressOf(const Context& context)
{
    return [&context](double fraction, std::string_view phase) {
        context.progress(fraction, std::string(phase));
    };
}

/// `shown`: what stood in the journal before the worker was started.
int show(const Context& context, const Result<WorkerInfo>& worker, std::optional<NewEntries> shown = {})
{
    context.endProgress();
    if (!worker)
        return context.failed(worker.error());
    if (!context.quiet)
        context.print(
            fmt::format("Run directory: {}; it executes on {}", worker->run.string(), worker->host));
    return watch(context, worker->run, shown ? std::move(*shown) : NewEntries(worker->run));
}

} // namespace

int trainThere(Context& context, Project& project, RunConfig config, const std::string& host)
{
    const auto where = parseRemoteHost(host);
    if (!where)
        return context.wrongUsage(where.error());
    const auto program = findSparserlBinary();
    if (!program)
        return context.error(program.error());
    // The program there is the one of the user's settings, where the host was used before.
    const RemoteHost chosen = confirmedHost(where->name, where->folder).value_or(*where);
    return show(context, launchRemote(project, std::move(config), chosen, *program, context.cancel,
                                      progressOf(context)));
}

int resumeThere(Context& context, const std::filesystem::path& run)
{
    const auto program = findSparserlBinary();
    if (!program)
        return context.error(program.error());
    NewEntries journal(run);
    if (const auto read = journal.read([](const JournalEntry&) {}); !read)
        return context.error(read.error());
    return show(context, resumeRemote(run, *program, context.cancel, progressOf(context)),
                std::move(journal));
}

} // namespace sparserl::cli
