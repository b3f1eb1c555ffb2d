// SPDX-License-Identifier: Apache-2.0
#include "app/training/commands/job_output.h"
#include "app/cli/signals.h"
#include "base/interruption.h"
#include "base/time.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace sparserl::cli {

namespace {

const std::string& nameOf(const JobStage& stage)
{
    return stage.title.empty() ? stage.run : stage.title;
}

std::string announcement(const Job& job, std::size_t index, JobEnvironment::Begin begin)
{
    const JobStage& stage = job.stages[index];
    const char* what = begin == JobEnvironment::Begin::Skip     ? "done already"
                       : begin == JobEnvironment::Begin::Resume ? "resumes from its last checkpoint"
                                                                : "starts";
    return fmt::format("[{}/{}] {}: {}", index + 1, job.stages.size(), nameOf(stage), what);
}

/// What a job that ended early has, as it is on the disk.
std::string whereItStands(const Project& project, const std::string& run, bool stopped)
{
    const auto checkpoints = listCheckpoints(project.runsPath() / run);
    const char* how = stopped ? "Stopped on request" : "Interrupted";
    return checkpoints.empty()
               ? fmt::format("{} before the first checkpoint of {}. The same command restarts that stage.",
                             how, run)
               : fmt::format("{}. The same command resumes from the checkpoint {} of {}.", how,
                             checkpoints.back().name, run);
}

} // namespace

JobNotice::JobNotice(std::filesystem::path project, std::size_t stages)
    : m_project(std::move(project))
{
    m_progress.outcome = "running";
    m_progress.began = unixSeconds();
    m_progress.stages = static_cast<std::int64_t>(stages);
    m_progress.logged = printsToJobLog(m_project);
    write();
}

void JobNotice::stage(const std::string& name, std::size_t index)
{
    m_progress.stage = name;
    m_progress.number = static_cast<std::int64_t>(index) + 1;
    write();
}

void JobNotice::end(int status)
{
    m_progress.outcome = status == Done ? "done" : status == Interrupted ? "stopped" : "failed";
    write();
}

void JobNotice::write() const
{
    static_cast<void>(writeJobProgress(m_project, m_progress));
}

int runShownJob(const Context& context, Project& project, const Job& job, JobNotice* notice)
{
    JobEnvironment environment;
    environment.cancel = context.cancel;
    environment.progress = [&context](double fraction, std::string_view phase) {
        context.progress(fraction, std::string(phase));
    };
    environment.onSaving = [](bool saving) { noteSaving(saving); };
    environment.onLock = [](const FileLock* lock) { noteLock(lock); };
    std::size_t current = 0;
    environment.onStage = [&](std::size_t index, JobEnvironment::Begin begin) {
        current = index;
        context.print(announcement(job, index, begin));
        if (notice)
            notice->stage(nameOf(job.stages[index]), index);
    };
    environment.onOtherParameters = [&context](std::size_t, const std::string& sentence) {
        context.note("warning: " + sentence);
    };
    environment.onEntry = [&context](const std::string& run, const JournalEntry& entry) {
        if (const auto* log = std::get_if<LogEvent>(&entry.event); log && log->level != "info") {
            context.print(fmt::format("{}: {}: {}", run, log->level, log->text));
        }
        if (std::holds_alternative<MetricEvent>(entry.event) ||
            std::holds_alternative<StateEvent>(entry.event) ||
            std::holds_alternative<EvaluationEvent>(entry.event)) {
            nlohmann::json line = toJson(entry);
            line["run"] = run;
            context.emit(line);
        }
    };
    const auto end = runJob(project, job, environment);
    context.endProgress();
    if (!end && !isInterruption(end.error())) {
        if (notice)
            notice->say(end.error().sentence());
        return context.error(end.error());
    }
    if (!end || *end != StageOutcome::End::Done) {
        const std::string where =
            whereItStands(project, job.stages[current].run, end && *end == StageOutcome::End::Stopped);
        if (notice)
            notice->say(where);
        context.print(where);
        return Interrupted;
    }
    return Done;
}

} // namespace sparserl::cli
