// SPDX-License-Identifier: Apache-2.0
#include "app/training/commands/job_output.h"
#include "app/cli/signals.h"
#include "base/interruption.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

std::string announcement(const Job& job, std::size_t index, JobEnvironment::Begin begin)
{
    const JobStage& stage = job.stages[index];
    const char* what = begin == JobEnvironment::Begin::Skip     ? "done already"
                       : begin == JobEnvironment::Begin::Resume ? "resumes from its last checkpoint"
                                                                : "starts";
    return fmt::format("[{}/{}] {}: {}", index + 1, job.stages.size(),
                       stage.title.empty() ? stage.run : stage.title, what);
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

int runShownJob(const Context& context, Project& project, const Job& job)
{
    JobEnvironment environment;
    environment.cancel = context.cancel;
    environment.progress = [&context](double fraction, std::string_view phase) {
        context.progress(fraction, std::string(phase));
    };
    environment.onSaving = [](bool saving) { noteSaving(saving); };
    std::size_t current = 0;
    environment.onStage = [&](std::size_t index, JobEnvironment::Begin begin) {
        current = index;
        context.print(announcement(job, index, begin));
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
        return context.error(end.error());
    }
    if (!end || *end != StageOutcome::End::Done) {
        context.print(
            whereItStands(project, job.stages[current].run, end && *end == StageOutcome::End::Stopped));
        return Interrupted;
    }
    return Done;
}

} // namespace sparserl::cli
