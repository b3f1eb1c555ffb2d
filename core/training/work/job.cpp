// SPDX-License-Identifier: Apache-2.0
#include "training/work/job.h"

#include "base/control_file.h"
#include "base/toml.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// Only what can be a folder's name everywhere and cannot leave runs/.
bool isRunName(const std::string& name)
{
    return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
}

Result<JobStage> readStage(const toml::table& table, const std::string& file)
{
    JobStage stage;
    stage.run = table["run"].value_or(std::string());
    stage.preset = table["preset"].value_or(std::string());
    stage.parent = table["parent"].value_or(std::string());
    stage.title = table["title"].value_or(std::string());
    for (const auto& [key, value] : table) {
        const std::string_view name = key.str();
        if (name != "run" && name != "preset" && name != "parent" && name != "title" && name != "set") {
            return failAt(file, lineOf(value), fmt::format("a stage has no key \"{}\"", name),
                          "Use run, preset, parent, title and set");
        }
        if (name == "set" ? !value.is_array() : !value.is_string()) {
            return failAt(file, lineOf(value),
                          fmt::format("\"{}\" is not a {}", name, name == "set" ? "list" : "text"),
                          name == "set" ? "Write set = [\"KEY=VALUE\", ...]" : "Put it in quotes");
        }
    }
    if (!isRunName(stage.run)) {
        return failAt(file, lineOf(table), fmt::format("\"{}\" is not a name for a run", stage.run),
                      "Give every stage run = \"name\" made of letters, digits, '-', '_' and '.'");
    }
    if (stage.preset.empty()) {
        return failAt(file, lineOf(table), fmt::format("the stage \"{}\" names no preset", stage.run),
                      "Add preset = \"...\"");
    }
    if (const toml::array* set = table["set"].as_array()) {
        for (const toml::node& item : *set) {
            const auto text = item.value<std::string>();
            if (!text || text->find('=') == std::string::npos) {
                return failAt(file, lineOf(item), "an entry of set is not \"KEY=VALUE\"");
            }
            stage.assignments.push_back(*text);
        }
    }
    return stage;
}

std::string keyOf(const std::string& assignment)
{
    return assignment.substr(0, assignment.find('='));
}

Result<Job> jobFromTable(const toml::table& table, const std::string& file)
{
    Job job;
    job.title = table["title"].value_or(std::string());
    const toml::array* stages = table["stage"].as_array();
    if (stages == nullptr || stages->empty()) {
        return failAt(file, 0, "the job has no stages", "Add at least one [[stage]]");
    }
    constexpr std::size_t mostStages = 1000; // what nobody writes would be read for minutes
    if (stages->size() > mostStages) {
        return failAt(file, 0, fmt::format("the job has {} stages, more than {}", stages->size(), mostStages),
                      "Split it into several jobs, and run them with --file and --prefix");
    }
    for (const toml::node& node : *stages) {
        const toml::table* entry = node.as_table();
        if (entry == nullptr) {
            return failAt(file, lineOf(node), "a stage is not a table", "Write [[stage]]");
        }
        SPARSERL_TRY(auto stage, readStage(*entry, file));
        const auto named = [&job](const std::string& name) {
            return std::any_of(job.stages.begin(), job.stages.end(),
                               [&](const JobStage& s) { return s.run == name; });
        };
        if (named(stage.run)) {
            return failAt(file, lineOf(node), fmt::format("two stages are called \"{}\"", stage.run));
        }
        if (!stage.parent.empty() && !named(stage.parent)) {
            return failAt(
                file, lineOf(node),
                fmt::format("the parent \"{}\" of \"{}\" is not a stage before it", stage.parent, stage.run));
        }
        job.stages.push_back(std::move(stage));
    }
    job.exportRun = table["export"]["run"].value_or(std::string());
    if (!job.exportRun.empty() && std::none_of(job.stages.begin(), job.stages.end(),
                                               [&](const JobStage& s) { return s.run == job.exportRun; })) {
        return failAt(file, 0,
                      fmt::format("the export names the run \"{}\", which is not a stage", job.exportRun));
    }
    return job;
}

/// The preset of a stage with what the job sets otherwise.
Result<Preset> presetOf(const JobStage& stage)
{
    SPARSERL_TRY(auto preset, findPreset(stage.preset));
    for (const std::string& assignment : stage.assignments) {
        SPARSERL_CHECK(preset.parameters.setAssignment(assignment));
    }
    SPARSERL_CHECK(checkTogether(preset.parameters));
    return preset;
}

} // namespace

Result<Job> readJob(const std::filesystem::path& file)
{
    SPARSERL_TRY(const auto text, readControlFile(file));
    SPARSERL_TRY(const auto table, parseToml(text, file.string()));
    return jobFromTable(table, file.string());
}

Result<Job> parseJob(const std::string& text, const std::string& file)
{
    SPARSERL_TRY(const auto table, parseToml(text, file));
    return jobFromTable(table, file);
}

Result<Job> variantOf(Job job, const std::string& prefix, const std::vector<std::string>& assignments)
{
    if (!prefix.empty() && !isRunName(prefix)) {
        return fail(fmt::format("\"{}\" cannot begin the name of a run", prefix),
                    "Use letters, digits, '-', '_' and '.'");
    }
    std::vector<bool> used(assignments.size(), false);
    for (JobStage& stage : job.stages) {
        SPARSERL_TRY(const auto preset, findPreset(stage.preset));
        for (std::size_t i = 0; i < assignments.size(); ++i) {
            if (preset.parameters.has(keyOf(assignments[i]))) {
                stage.assignments.push_back(assignments[i]);
                used[i] = true;
            }
        }
        SPARSERL_CHECK(presetOf(stage)); // now, not when its turn comes
        stage.run = prefix + stage.run;
        if (!stage.parent.empty()) {
            stage.parent = prefix + stage.parent;
        }
    }
    for (std::size_t i = 0; i < assignments.size(); ++i) {
        if (!used[i]) {
            return fail(fmt::format("no stage of the job has the parameter \"{}\"", keyOf(assignments[i])),
                        "Write --set KEY=VALUE with a key that `sparserl train --help` lists");
        }
    }
    if (!job.exportRun.empty()) {
        job.exportRun = prefix + job.exportRun;
    }
    return job;
}

Result<RunConfig> runConfigOf(const JobStage& stage, const Project& project)
{
    SPARSERL_TRY(const auto preset, presetOf(stage));
    RunConfig config;
    config.title = stage.title;
    config.stage = std::string(nameOf(preset.stage));
    config.preset = stage.preset;
    config.project = std::filesystem::absolute(project.path()).lexically_normal().string();
    config.parameters = runValues(preset.parameters);
    if (!stage.parent.empty()) {
        if (std::filesystem::path(stage.parent).is_relative())
            config.parentRun = stage.parent;
        config.parentCheckpoint = (std::filesystem::path("runs") / stage.parent).string();
    }
    return config;
}

} // namespace sparserl
