// SPDX-License-Identifier: Apache-2.0
#include "app/training/processes.h"
#include "app/training/remote_run.h"
#include "project/launch.h"
#include "project/project.h"
#include "project/remote_mark.h"
#include "project/run_files.h"
#include "training/stage.h"
#include "training/stage_parameters.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl::cli {

namespace {

struct TrainArguments
{
    std::string preset;
    std::string run;
    std::string project;
    std::string parent;
    std::string title;
    std::string host;
    std::vector<std::string> assignments;
    ProcessOptions processes;
    bool list = false;
    bool parameters = false;
};

int listPresets(const Context& context)
{
    const auto presets = builtInPresets();
    if (!presets)
        return context.error(presets.error());
    for (const auto& preset : *presets) {
        context.emit({{"preset", preset.name},
                      {"stage", nameOf(preset.stage)},
                      {"description", preset.description},
                      {"source", preset.source},
                      {"parameters", preset.parameters.toJson()}});
        if (!context.json)
            context.print(
                fmt::format("{:<22} {:<9} {}", preset.name, nameOf(preset.stage), preset.description));
    }
    return Done;
}

int showParameters(const Context& context, const Preset& preset)
{
    context.emit(preset.parameters.declarations().toJson());
    if (!context.json)
        context.print(preset.parameters.declarations().describe());
    return Done;
}

Result<Project> projectOf(const TrainArguments& options)
{
    if (!options.project.empty())
        return Project::open(options.project);
    return Project::find(options.run.empty() ? "." : std::filesystem::absolute(options.run).parent_path());
}

/// A finished policy of this or another project, as run.toml keeps it.
std::string absoluteParent(const Project& project, const std::string& parent)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (!fs::exists(parent, ignored) && fs::exists(project.runsPath() / parent, ignored))
        return (project.runsPath() / parent).string(); // the name of a run
    return fs::absolute(parent).string();
}

/// What was asked, and the project that it is for.
Result<std::pair<Project, RunConfig>> newRun(const TrainArguments& options)
{
    SPARSERL_TRY(const auto preset, findPreset(options.preset.empty() ? "quickstart-sft" : options.preset));
    auto parameters = preset.parameters;
    for (const auto& assignment : options.assignments) {
        SPARSERL_CHECK(parameters.setAssignment(assignment));
    }
    SPARSERL_TRY(auto project, projectOf(options));
    if (!options.project.empty() && !options.run.empty()) {
        // A run belongs to the project around it, so that it still does when that is moved.
        const auto around = Project::find(std::filesystem::absolute(options.run).parent_path());
        std::error_code ignored;
        if (around && !std::filesystem::equivalent(around->path(), project.path(), ignored))
            return failAt(options.run, 0,
                          fmt::format("this folder belongs to the project {}, not to {}",
                                      around->path().string(), project.path().string()),
                          "Leave --project out, or put the run elsewhere");
    }
    if (project.matrices().empty()) // else a run that can never begin is left behind
        return failAt((project.path() / "project.toml").string(), 0, "The project has no matrices",
                      "Add some with `sparserl import FILE --project DIR`");
    auto config = stageRunConfig(preset.stage, parameters);
    config.title = options.title;
    config.preset = preset.name;
    config.project = std::filesystem::absolute(project.path()).string();
    if (!options.parent.empty()) {
        config.parentCheckpoint = absoluteParent(project, options.parent);
        // A mistyped one must not leave a run behind that can never begin.
        if (const auto policy = findPolicy(config.parentCheckpoint); !policy)
            return failAt(options.parent, 0, policy.error().what,
                          policy.error().remedy + "; the name of a run of the project also works");
        SPARSERL_CHECK(keepCheckpoint(config.parentCheckpoint));
    } else if (!describe(preset.stage).needsParent.empty())
        return fail(fmt::format("The preset {} is of the stage {}, which starts from a policy", preset.name,
                                nameOf(preset.stage)),
                    "Give one with --parent: a checkpoint, a run directory or a run's name");
    return std::pair(std::move(project), std::move(config));
}

Result<RunDirectory> createRun(const TrainArguments& options)
{
    SPARSERL_TRY(const auto made, newRun(options));
    const auto& [project, config] = made;
    return options.run.empty() ? makeRun(project, config) : RunDirectory::create(options.run, config);
}

/// On another machine, where that is asked for or the run is of one; nothing where it is not.
std::optional<int> trainElsewhere(Context& context, const TrainArguments& options)
{
    const bool there = !options.run.empty() && readRemoteMark(options.run);
    if (there && (!options.preset.empty() || !options.assignments.empty() || !options.parent.empty() ||
                  !options.host.empty()))
        return context.error({"There is a run already, and it keeps its own parameters and its host",
                              options.run, 0, "Give --run alone to resume it, or start a new run"});
    if (there)
        return resumeThere(context, std::filesystem::absolute(options.run));
    if (options.host.empty())
        return std::nullopt;
    if (!options.run.empty() || options.processes.count > 0)
        return context.error({"A run on another machine gets the project's next number, and one process",
                              {},
                              0,
                              "Leave --run and --nproc out"});
    auto made = newRun(options);
    if (!made)
        return context.error(made.error());
    return trainThere(context, made->first, std::move(made->second), options.host);
}

Result<RunDirectory> openOrCreate(const Context& context, const TrainArguments& options)
{
    std::error_code ignored;
    if (!options.run.empty() &&
        std::filesystem::exists(std::filesystem::path(options.run) / runFile, ignored)) {
        if (!options.preset.empty() || !options.assignments.empty() || !options.parent.empty())
            return failAt(options.run, 0, "There is a run already, and it keeps its own parameters",
                          "Give --run alone to resume it, or another folder to start a new run");
        return RunDirectory::open(options.run);
    }
    SPARSERL_TRY(auto run, createRun(options));
    if (!context.quiet)
        context.print(fmt::format("Run directory: {}", run.path().string()));
    return run;
}

int train(Context& context, const TrainArguments& options)
{
    if (options.list)
        return listPresets(context);
    if (options.parameters) {
        const auto preset = findPreset(options.preset.empty() ? "quickstart-sft" : options.preset);
        return preset ? showParameters(context, *preset) : context.error(preset.error());
    }
    if (const auto status = trainElsewhere(context, options))
        return *status;
    return runWithProcesses(context, options.processes, [&] { return openOrCreate(context, options); });
}

} // namespace

Body add_train(CLI::App& app, Context& context)
{
    auto options = std::make_shared<TrainArguments>();
    CLI::App* command = addTrainingCommand(app, "train");
    command->add_option("PRESET", options->preset, "Name of a preset (see --list) or a preset file.");
    command->add_option("--run", options->run, "Run directory; an existing one is resumed.");
    command->add_option("--project", options->project, "Project directory; default: the one around the run.");
    command->add_option("--parent", options->parent,
                        "Policy to start from: checkpoint, run directory or run name.");
    command->add_option("--title", options->title, "Title of the run, for people.");
    command->add_option("--set", options->assignments, "KEY=VALUE: change a parameter of the preset.");
    command->add_option("--host", options->host,
                        "HOST[:FOLDER]: train on this machine; ssh must reach it without a password.");
    addProcessOptions(*command, options->processes);
    command->add_flag("--list", options->list, "List the presets.");
    command->add_flag("--parameters", options->parameters, "Explain every parameter of the preset's stage.");
    return [&context, options] { return train(context, *options); };
}

} // namespace sparserl::cli
