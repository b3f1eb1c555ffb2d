// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/signals.h"
#include "base/interruption.h"
#include "base/time.h"
#include "project/export.h"
#include "project/project.h"
#include "training/job_report.h"
#include "training/job_runner.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct Options
{
    std::string project = ".";
    std::string file = "job.toml";
    std::string prefix;
    std::vector<std::string> assignments;
};

std::string announcement(const Job& job, std::size_t index, JobEnvironment::Begin begin)
{
    const JobStage& stage = job.stages[index];
    const char* what = begin == JobEnvironment::Begin::Skip     ? "done already"
                       : begin == JobEnvironment::Begin::Resume ? "goes on from its last checkpoint"
                                                                : "starts";
    return fmt::format("[{}/{}] {}: {}", index + 1, job.stages.size(),
                       stage.title.empty() ? stage.run : stage.title, what);
}

/// Evaluation table and export of the best kernel. Returns an exit status.
int finish(const Context& context, const Project& project, const Job& job)
{
    if (job.exportRun.empty()) {
        return Done;
    }
    const auto report = readEvaluation(project.runsPath() / job.exportRun);
    if (!report) {
        return context.error(report.error());
    }
    const auto bundle = exportFromRun({.run = project.runsPath() / job.exportRun});
    if (!bundle) {
        context.print("\nHeld-out matrices:\n" + tableText(*report));
        return context.error(bundle.error());
    }
    const VerdictRecord& best = bundle->evidence;
    context.print(fmt::format(
        "\nHeld-out matrices (times on the {}; the column reference is the {}):\n{}", best.device,
        best.simulated ? best.baselineName : "best CSR routine of " + best.baselineName, tableText(*report)));
    context.print(fmt::format(
        "The best kernel ({}, {:.2f} times as fast as the reference on {}) is exported to:\n{}",
        best.programHash.substr(0, 12), best.speedup(), best.matrixName, bundle->directory.string()));
    context.emit(
        {{"t", unixSeconds()}, {"exported", bundle->directory.string()}, {"program", best.programHash}});
    return Done;
}

/// What a job that ended early has, as it is on the disk.
std::string whereItStands(const Project& project, const std::string& run, bool stopped)
{
    const auto checkpoints = listCheckpoints(project.runsPath() / run);
    const char* how = stopped ? "Stopped on request" : "Interrupted";
    return checkpoints.empty()
               ? fmt::format(
                     "{} before the first checkpoint of {}. The same command begins that stage again.", how,
                     run)
               : fmt::format("{}. The same command goes on from the checkpoint {} of {}.", how,
                             checkpoints.back().name, run);
}

int runCommand(const Context& context, const Options& options)
{
    auto project = Project::open(options.project);
    if (!project) {
        return context.error(project.error());
    }
    auto job = readJob(project->path() / options.file);
    if (job) {
        job = variantOf(std::move(*job), options.prefix, options.assignments);
    }
    if (!job) {
        return context.error(job.error());
    }
    context.print(fmt::format("{}: {} stages in {}", job->title.empty() ? "Job" : job->title,
                              job->stages.size(), project->path().string()));

    JobEnvironment environment;
    environment.cancel = context.cancel;
    environment.progress = [&context](double fraction, std::string_view phase) {
        context.progress(fraction, std::string(phase));
    };
    environment.onSaving = [](bool saving) { noteSaving(saving); };
    std::size_t current = 0;
    environment.onStage = [&](std::size_t index, JobEnvironment::Begin begin) {
        current = index;
        context.print(announcement(*job, index, begin));
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
    const auto end = runJob(*project, *job, environment);
    if (!end && !isInterruption(end.error())) {
        return context.error(end.error());
    }
    if (!end || *end != StageOutcome::End::Done) {
        context.print(
            whereItStands(*project, job->stages[current].run, end && *end == StageOutcome::End::Stopped));
        return Interrupted;
    }
    return finish(context, *project, *job);
}

} // namespace

Body add_job(CLI::App& app, Context& context)
{
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "job",
        "Run a project's job: its stages in order, then the export. Resumes where it was interrupted.");
    command->add_option("project", options->project, "Project folder")->capture_default_str();
    command->add_option("--file", options->file, "Job file inside the project")->capture_default_str();
    command->add_option("--prefix", options->prefix,
                        "Begin every run's name with this: the same job once more");
    command->add_option("--set", options->assignments, "KEY=VALUE for every stage that has the parameter");
    return [&context, options] {
        context.savesOnSignal = true;
        return runCommand(context, *options);
    };
}

} // namespace sparserl::cli
