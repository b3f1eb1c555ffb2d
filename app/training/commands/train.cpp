// SPDX-License-Identifier: Apache-2.0
#include "app/cli/policy_words.h"
#include "app/cli/project_words.h"
#include "app/cli/usage.h"
#include "app/training/processes.h"
#include "app/training/remote_run.h"
#include "base/beneath.h"
#include "base/printable.h"
#include "base/trust.h"
#include "project/files/project.h"
#include "project/files/run_files.h"
#include "project/run/default_policy.h"
#include "project/run/journal_tail.h"
#include "project/run/launch.h"
#include "project/run/remote_mark.h"
#include "project/run/run_config.h"
#include "remote/remote_host.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"
#include "training/parameters/suggestions.h"
#include "training/work/memory_fit.h"
#include "training/work/stage.h"
#include "verdict/names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
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

constexpr const char* defaultPreset = "quickstart-sft";

Result<Preset> presetOf(const TrainArguments& options)
{
    return findPreset(options.preset.empty() ? defaultPreset : options.preset);
}

/// Before a run is made: a preset that nobody has named is no secret.
void sayPreset(const Context& context, const TrainArguments& options)
{
    if (options.preset.empty() && !context.quiet)
        context.note(fmt::format("no preset was named: this is {}; `sparserl train --list` lists them",
                                 defaultPreset));
}

/// Every parameter with the value that the preset and --set give it, by groups.
int showParameters(const Context& context, const Preset& preset, const ParameterSet& values)
{
    nlohmann::json json = values.declarations().toJson();
    const nlohmann::json now = values.toJson();
    for (auto& entry : json)
        entry["value"] = now.at(entry["key"].get<std::string>());
    context.emit(json);
    if (context.json)
        return Done;
    std::string text = fmt::format("{} ({}): {}\n* differs from the stage's default\n", preset.name,
                                   nameOf(preset.stage), preset.description);
    auto specs = values.declarations().specs();
    std::map<std::string, std::size_t> groups; // in the order of their first parameters
    for (const ParameterSpec& spec : specs)
        groups.emplace(spec.groupName, groups.size());
    std::stable_sort(specs.begin(), specs.end(), [&](const ParameterSpec& a, const ParameterSpec& b) {
        return groups.at(a.groupName) < groups.at(b.groupName);
    });
    std::string group = "\n"; // no group is called so
    for (const ParameterSpec& spec : specs) {
        if (spec.groupName != group) {
            group = spec.groupName;
            text += fmt::format("\n{}:\n", group.empty() ? "General" : group);
        }
        const std::string value = toText(values.value(spec.key)), standard = toText(spec.defaultValue);
        const std::string range = spec.rangeText();
        text += fmt::format(
            "{} {} = {}{}\n      {} ({}{}{}{}{})\n", values.isDefault(spec.key) ? ' ' : '*', spec.key,
            value.empty() ? "\"\"" : value, spec.unitText.empty() ? "" : " " + spec.unitText, spec.helpText,
            values.isDefault(spec.key) ? "" : "default " + standard + "; ", range, range.empty() ? "" : "; ",
            nameOf(spec.effect), spec.sourceText.empty() ? "" : "; " + spec.sourceText);
    }
    context.print(text);
    return Done;
}

/// What `--set` gets wrong; what else is wrong is said later: of a run that is there, that it keeps its own.
std::optional<Error> checkAssignments(const TrainArguments& options)
{
    if (!options.run.empty())
        if (const auto there = lookAt(std::filesystem::path(options.run) / runFile); !there || there->exists)
            return std::nullopt;
    const auto preset = presetOf(options);
    if (!preset)
        return std::nullopt;
    auto parameters = preset->parameters;
    for (const auto& assignment : options.assignments)
        if (const auto set = parameters.setAssignment(assignment); !set)
            return set.error();
    return std::nullopt;
}

Result<Project> projectOf(const TrainArguments& options)
{
    if (!options.project.empty())
        return Project::open(options.project);
    return Project::find(options.run.empty() ? "." : std::filesystem::absolute(options.run).parent_path());
}

/// What was asked, and the project that it is for.
Result<std::pair<Project, RunConfig>> newRun(const TrainArguments& options)
{
    SPARSERL_TRY(const auto preset, presetOf(options));
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
    // Else a run that can never begin is left behind.
    if (const auto together = checkTogether(parameters); !together)
        throw WrongValue{together.error()}; // as for a value that is wrong by itself
    const auto& matrices = project.matrices();
    const auto heldOut = static_cast<std::size_t>(
        std::count_if(matrices.begin(), matrices.end(),
                      [](const MatrixEntry& matrix) { return matrix.split == split::heldOut; }));
    if (const auto missing = missingMatrices(preset.stage, parameters, matrices.size() - heldOut, heldOut);
        !missing.empty())
        return failAt((project.path() / "project.toml").string(), 0, missing,
                      matrices.empty() ? "Add some with `sparserl import FILE --project DIR`"
                                       : "Add some, or change splits with `sparserl project matrices`");
    auto config = stageRunConfig(preset.stage, parameters);
    config.title = options.title;
    config.preset = preset.name;
    config.project = std::filesystem::absolute(project.path()).string();
    if (!options.parent.empty()) {
        // Only what the user has named leaves this machine.
        SPARSERL_TRY(config.parentCheckpoint, namedPolicy(project, options.parent, !options.host.empty()));
    } else if (!needsParent(preset.stage, parameters).empty())
        return fail(fmt::format("the preset {} belongs to the {} stage, which starts from a policy",
                                preset.name, nameOf(preset.stage)),
                    "Give one with --parent: a checkpoint, a run directory or a run's name");
    return std::pair(std::move(project), std::move(config));
}

/// What is known of the run that a policy is of: its stage, and how many of its programs were correct at
/// last.
void describeParent(const std::string& parent, RunSurroundings& found)
{
    if (parent.empty())
        return;
    const auto policy = findPolicy(policyPlace(parent));
    if (!policy)
        return;
    const auto config = readRunConfig(*policy / runFile); // a checkpoint's copy
    if (!config)
        return;
    found.parentStage = config->stage;
    const auto run = policy->parent_path().parent_path(); // RUN/checkpoints/NAME
    if (glance(run / runFile).exists)
        found.parentCorrect = lastCorrectRate(run);
}

/// Tells what the project suggests to set otherwise.
void suggest(const Context& context, const Project& project, const RunConfig& config)
{
    const auto kind = stageKindFromName(config.stage);
    if (context.quiet || !kind)
        return;
    const auto parameters = parametersFromRun(*kind, config.parameters);
    if (!parameters)
        return; // said when it begins
    RunSurroundings found;
    for (const MatrixEntry& matrix : project.matrices())
        ++(matrix.split == split::heldOut ? found.heldOut : found.training);
    describeParent(config.parentCheckpoint, found);
    for (const Suggestion& one : suggestionsFor(*kind, *parameters, found))
        context.note("suggestion: " + commandText(one));
}

/// Tells that a stage will not fit into memory. An estimate refuses nothing: the run itself says what is so.
void warnOfMemory(const Context& context, const RunConfig& config)
{
    const auto kind = stageKindFromName(config.stage);
    if (!kind || config.parentCheckpoint.empty())
        return;
    const auto parameters = parametersFromRun(*kind, config.parameters);
    const auto policy = findPolicy(policyPlace(config.parentCheckpoint));
    if (!parameters || !parameters->has(param::device.key) || !policy)
        return; // said when it begins
    const auto facts = readPolicyFacts(*policy);
    const auto device = deviceMemory((*parameters)[param::device]);
    if (!facts || !device)
        return;
    if (const std::string warning = memoryWarning(*kind, *parameters, *facts, *device); !warning.empty())
        context.note("warning: " + warning);
}

Result<RunDirectory> createRun(const Context& context, const TrainArguments& options)
{
    SPARSERL_TRY(const auto made, newRun(options));
    const auto& [project, config] = made;
    sayPreset(context, options);
    suggest(context, project, config);
    warnOfMemory(context, config);
    return options.run.empty() ? makeRun(project, config) : RunDirectory::create(options.run, config);
}

/// On another machine, where that is asked for or the run is of one; nothing where it is not.
std::optional<int> trainElsewhere(Context& context, const TrainArguments& options)
{
    const bool there = !options.run.empty() && readRemoteMark(options.run);
    if (there && (!options.preset.empty() || !options.assignments.empty() || !options.parent.empty() ||
                  !options.host.empty()))
        return context.error({"this run exists already, and it keeps its own parameters and its host",
                              options.run, 0, "Give --run alone to resume it, or start a new run"});
    if (there)
        return resumeThere(context, std::filesystem::absolute(options.run));
    if (options.host.empty())
        return std::nullopt;
    if (!options.run.empty() || options.processes.count > 0)
        return context.wrongUsage({"a run on another machine gets the project's next number, and one process",
                                   {},
                                   0,
                                   "Leave --run and --nproc out"});
    if (const auto where = parseRemoteHost(options.host); !where)
        return context.wrongUsage(where.error());
    auto made = newRun(options);
    if (!made)
        return context.error(made.error());
    sayPreset(context, options);
    suggest(context, made->first, made->second);
    return trainThere(context, made->first, std::move(made->second), options.host);
}

Result<RunDirectory> openOrCreate(const Context& context, const TrainArguments& options)
{
    SPARSERL_TRY(const auto there, options.run.empty()
                                       ? Result<Entry>(Entry())
                                       : lookAt(std::filesystem::path(options.run) / runFile));
    if (there.exists) {
        if (!options.preset.empty() || !options.assignments.empty() || !options.parent.empty())
            return failAt(options.run, 0, "this run exists already, and it keeps its own parameters",
                          "Give --run alone to resume it, or another folder to start a new run");
        SPARSERL_CHECK(requireTrust(options.run)); // also of a run that has ended: nothing of it is started
        return RunDirectory::open(options.run);
    }
    // --run alone resumes: a slip in its name starts no other run.
    if (!options.run.empty() && options.preset.empty() && options.assignments.empty() &&
        options.parent.empty() && options.title.empty()) {
        SPARSERL_TRY(const auto folder, lookAt(options.run));
        if (!folder.exists)
            return failAt(options.run, 0, "there is no run here to resume",
                          "`sparserl runs` lists those of a project; to start a new run, name a preset");
    }
    SPARSERL_TRY(auto run, createRun(context, options));
    if (!context.quiet)
        context.print(fmt::format("Run directory: {}", printableLine(run.path().string())));
    return run;
}

int train(Context& context, const TrainArguments& options)
{
    if (options.list)
        return listPresets(context);
    if (options.parameters) {
        const auto preset = presetOf(options);
        if (!preset)
            return context.error(preset.error());
        auto values = preset->parameters;
        for (const auto& assignment : options.assignments)
            if (const auto set = values.setAssignment(assignment); !set)
                return context.wrongUsage(set.error());
        return showParameters(context, *preset, values);
    }
    if (const auto wrong = checkAssignments(options))
        return context.wrongUsage(*wrong);
    if (const auto status = trainElsewhere(context, options))
        return *status;
    return runWithProcesses(context, options.processes, [&] { return openOrCreate(context, options); });
}

} // namespace

Body add_train(CLI::App& app, Context& context)
{
    auto options = std::make_shared<TrainArguments>();
    CLI::App* command = addTrainingCommand(app, "train");
    suggests(command->add_option(
                 "PRESET", options->preset,
                 fmt::format("Name of a preset (see --list) or a preset file; default: {}.", defaultPreset)),
             [] { return presetNames(); });
    takesRun(command->add_option("--run", options->run,
                                 "Run directory, or the name of a run; an existing one is resumed."),
             RunWord::New);
    command->add_option("--project", options->project, "Project directory; default: the one around the run.");
    takesNames(
        command->add_option("--parent", options->parent,
                            "Policy to start from: checkpoint, run directory, run name, or \"default\"."),
        "policies");
    command->add_option("--title", options->title, "Title of the run, for people.");
    takesNames(
        command->add_option("--set", options->assignments, "KEY=VALUE: change a parameter of the preset."),
        "parameters");
    command->add_option("--host", options->host,
                        "HOST[:FOLDER]: train on this machine; ssh must reach it without a password.");
    addProcessOptions(*command, options->processes);
    command->add_flag("--list", options->list, "List the presets.");
    command->add_flag("--parameters", options->parameters,
                      "Print every parameter with the preset's value and what it means.");
    return [&context, options] { return train(context, *options); };
}

} // namespace sparserl::cli
