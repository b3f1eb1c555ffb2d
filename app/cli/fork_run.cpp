// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fork_run.h"

#include "app/cli/usage.h"
#include "base/trust.h"
#include "project/run/checkpoint_files.h"
#include "project/run/launch.h"
#include "project/run/run_directory.h"
#include "training/work/run_stage.h"
#include "verdict/names.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl::cli {
namespace {

/// The run's parameters with every change that its worker has applied since.
Result<ParameterSet> parametersNow(const RunDirectory& run)
{
    SPARSERL_TRY(const auto stage, stageOf(run));
    ParameterSet parameters = stage.parameters;
    SPARSERL_CHECK(visitJournal(
        run.path(),
        [&](JournalEntry&& entry) {
            const auto* event = std::get_if<ControlEvent>(&entry.event);
            // A parameter that this version does not know cannot be taken over.
            if (event != nullptr && event->command == "set" && event->outcome == control_outcome::applied)
                static_cast<void>(parameters.setText(event->key, event->value));
        },
        [&] { parameters = stage.parameters; }));
    return parameters;
}

Result<CheckpointInfo> checkpointOf(const RunDirectory& run, const std::string& name)
{
    // Also where another one is asked for: it says why none can be listed.
    auto newest = newestCheckpoint(run.path());
    if (newest && !*newest)
        return failAt(run.path().string(), 0, "this run has no checkpoint to start from",
                      "Ask for one with `sparserl control RUN checkpoint`, or wait for the first");
    const auto all = run.checkpoints();
    if (!newest && (name.empty() || all.empty()))
        return fail(newest.error());
    if (name.empty())
        return **newest;
    std::vector<std::string> names;
    for (const CheckpointInfo& one : all) {
        if (one.name == name)
            return one;
        names.push_back(one.name);
    }
    return failAt(run.path().string(), 0, fmt::format("this run has no checkpoint \"{}\"", name),
                  nearRemedy(name, names, fmt::format("The newest is {}", names.back())));
}

} // namespace

int forkRun(const Context& context, const std::string& folder, const ForkOptions& options)
{
    const auto run = RunDirectory::open(std::filesystem::absolute(folder).lexically_normal());
    if (!run)
        return context.error(run.error());
    if (const auto trusted = requireTrust(run->path()); !trusted) // before anything that trust would not help
        return context.error(trusted.error());
    auto parameters = parametersNow(*run);
    if (!parameters)
        return context.error(parameters.error());
    for (const std::string& assignment : options.assignments)
        if (const auto set = parameters->setAssignment(assignment); !set)
            return context.wrongUsage(set.error());
    if (const auto together = checkTogether(*parameters); !together)
        return context.wrongUsage(together.error());
    const auto checkpoint = checkpointOf(*run, options.checkpoint);
    if (!checkpoint)
        return context.error(checkpoint.error());
    const auto project = Project::find(run->path());
    if (!project)
        return context.error(project.error());

    const auto stage = stageOf(*run);
    if (!stage)
        return context.error(stage.error());
    const auto plan = planFork(stage->kind, stage->parameters, *parameters, checkpoint->step);
    if (!plan)
        return context.wrongUsage(plan.error());

    RunConfig config;
    config.title = options.title;
    config.stage = run->config().stage;
    config.preset = run->config().preset;
    config.project = project->path().string();
    if (plan->continues) {
        config.forkOf = run->name();
        config.forkCheckpoint = checkpoint->name;
    }
    if (plan->continues || !isPolicyFolder(checkpoint->path)) { // a search or an evaluation keeps no policy
        config.parentCheckpoint = run->config().parentCheckpoint;
        config.parentDigest = run->config().parentDigest;
        config.parentRun = run->config().parentRun;
    } else {
        config.parentCheckpoint = checkpoint->path.string();
        config.parentRun = run->name();
    }
    config.parameters = runValues(*parameters);
    const auto program = findSparserlBinary();
    if (!program)
        return context.error(program.error());
    const auto worker = launchWorker(*project, std::move(config), *program);
    if (!worker)
        return context.error(worker.error());
    context.emit({{"run", worker->run.string()},
                  {"parent", run->name()},
                  {"checkpoint", checkpoint->name},
                  {"continues", plan->continues},
                  {"pid", worker->pid}});
    if (!context.json)
        context.print(
            fmt::format("{} starts in the background from {} of {}; `sparserl runs` shows its state. {}",
                        worker->run.filename().string(), checkpoint->name, run->name(), plan->sentence));
    return Done;
}

} // namespace sparserl::cli
