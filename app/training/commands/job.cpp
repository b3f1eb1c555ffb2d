// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/usage.h"
#include "app/training/commands/job_output.h"
#include "base/beneath.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/time.h"
#include "base/trust.h"
#include "export/run_export.h"
#include "project/files/project.h"
#include "project/run/project_job.h"
#include "training/evaluated/job_report.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl::cli {

namespace {

struct JobArguments
{
    std::string project = ".";
    std::string file = jobFileName;
    std::string prefix;
    std::vector<std::string> assignments;
};

/// Evaluation table and export of the best kernel. Returns an exit status.
int finish(const Context& context, const Project& project, const Job& job, JobNotice* notice)
{
    if (job.exportRun.empty()) {
        return Done;
    }
    const auto report = readEvaluation(project.runsPath() / job.exportRun);
    const auto failed = [&](const Error& error) {
        if (notice)
            notice->say(error.sentence());
        return context.error(error);
    };
    if (!report) {
        return failed(report.error());
    }
    const auto bundle = exportFromRun({.run = project.runsPath() / job.exportRun});
    if (!bundle) {
        context.print("\nHeld-out matrices:\n" + tableText(*report));
        return failed(bundle.error());
    }
    const VerdictRecord& best = bundle->evidence;
    context.print(fmt::format(
        "\nHeld-out matrices (times on the {}; the column reference is the {}):\n{}",
        printableLine(best.device),
        printableLine(best.simulated ? best.baselineName : "best CSR routine of " + best.baselineName),
        tableText(*report)));
    context.print(
        fmt::format("The best kernel ({}, {:.2f} times as fast as the reference on {}) is exported to:\n{}",
                    best.programHash.substr(0, 12), best.speedup(), printableLine(best.target.name),
                    bundle->directory.string()));
    context.emit(
        {{"t", unixSeconds()}, {"exported", bundle->directory.string()}, {"program", best.programHash}});
    return Done;
}

int runCommand(const Context& context, const JobArguments& options)
{
    auto project = Project::find(options.project);
    if (!project) {
        return context.error(project.error());
    }
    if (const auto trusted = requireTrust(project->path()); !trusted) { // before its job is looked into
        return context.error(trusted.error());
    }
    const auto file = project->path() / options.file;
    if (const auto there = lookAt(file); there && !there->exists) {
        return context.error({"the project has no job", file.string(), 0,
                              "Write one, with a [[stage]] for each run (docs/projects-and-runs.md), such as "
                              "projects/quickstart/job.toml"});
    }
    auto read = readJob(file);
    if (!read) {
        return context.error(read.error());
    }
    const auto job = variantOf(std::move(*read), options.prefix, options.assignments);
    if (!job) { // the job's own words are good: these are not
        return context.wrongUsage(job.error());
    }
    std::optional<FileLock> lock;
    std::optional<JobNotice> notice;
    if (options.prefix.empty() && options.file == jobFileName) { // others have runs of their own
        auto taken = lockJob(project->path());
        if (!taken) {
            return context.error(taken.error());
        }
        lock = std::move(*taken);
        notice.emplace(project->path(), job->stages.size());
    }
    context.print(fmt::format("{}: {} in {}", job->title.empty() ? "Job" : job->title,
                              formatCounted(static_cast<std::int64_t>(job->stages.size()), "stage"),
                              project->path().string()));

    JobNotice* const told = notice ? &*notice : nullptr;
    int status = runShownJob(context, *project, *job, told);
    if (status == Done) {
        status = finish(context, *project, *job, told);
    }
    if (notice) {
        notice->end(status);
    }
    return status;
}

} // namespace

Body add_job(CLI::App& app, Context& context)
{
    auto options = std::make_shared<JobArguments>();
    CLI::App* command = addTrainingCommand(app, "job");
    command->add_option("DIR,--project", options->project,
                        "The project (default: the one that holds the current folder).");
    command->add_option("--file", options->file, "Job file inside the project")->capture_default_str();
    command->add_option("--prefix", options->prefix,
                        "Prefix of every run's name, to run the same job once more");
    takesNames(command->add_option("--set", options->assignments,
                                   "KEY=VALUE for every stage that has the parameter"),
               "parameters");
    return [&context, options] {
        context.savesOnSignal = true;
        return runCommand(context, *options);
    };
}

} // namespace sparserl::cli
