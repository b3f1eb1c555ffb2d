// SPDX-License-Identifier: Apache-2.0
#include "project/run/run_config.h"

#include "base/control_file.h"
#include "base/format_number.h"
#include "base/time.h"
#include "base/toml.h"

#include <fmt/format.h>

namespace sparserl {
namespace {

std::optional<ParameterValue> valueFromNode(const toml::node& node)
{
    if (const auto* value = node.as_boolean())
        return ParameterValue(value->get());
    if (const auto* value = node.as_integer())
        return ParameterValue(value->get());
    if (const auto* value = node.as_floating_point())
        return ParameterValue(value->get());
    if (const auto* value = node.as_string())
        return ParameterValue(value->get());
    return std::nullopt;
}

std::string text(const toml::table& table, std::string_view key)
{
    return table[key].value_or(std::string());
}

} // namespace

bool isDrawnAtStart(const std::string& key, const ParameterValue& value)
{
    const auto* const number = std::get_if<std::int64_t>(&value);
    return key == "judge.seed" && number && *number == 0;
}

std::map<std::string, ParameterValue> valuesOf(const ParameterSet& set)
{
    std::map<std::string, ParameterValue> values;
    for (const auto& spec : set.declarations().specs())
        values[spec.key] = set.value(spec.key);
    return values;
}

Status writeRunConfig(const std::filesystem::path& file, const RunConfig& config)
{
    toml::table run;
    run.insert("format", 1);
    run.insert("stage", config.stage);
    if (!config.title.empty())
        run.insert("title", config.title);
    if (!config.preset.empty())
        run.insert("preset", config.preset);
    if (!config.parentRun.empty())
        run.insert("parent_run", config.parentRun);
    if (!config.parentCheckpoint.empty())
        run.insert("parent_checkpoint", config.parentCheckpoint);
    if (!config.parentDigest.empty())
        run.insert("parent_digest", config.parentDigest);
    if (!config.forkOf.empty()) {
        run.insert("fork_of", config.forkOf);
        run.insert("fork_checkpoint", config.forkCheckpoint);
    }
    if (!config.project.empty())
        run.insert("project", config.project);
    run.insert("created", isoTime(config.created));
    toml::table parameters;
    for (const auto& [key, value] : config.parameters)
        std::visit([&, name = key](const auto& plain) { parameters.insert(name, plain); }, value);
    toml::table versions;
    for (const auto& [key, value] : config.versions)
        versions.insert(key, value);
    toml::table table;
    table.insert("run", std::move(run));
    table.insert("parameters", std::move(parameters));
    table.insert("versions", std::move(versions));
    return writeToml(file, table);
}

Result<RunConfig> readRunConfig(const std::filesystem::path& file)
{
    SPARSERL_TRY(const auto content, readControlFile(file));
    SPARSERL_TRY(const auto table, parseToml(content, file.string()));
    const toml::table* run = table["run"].as_table();
    if (run == nullptr)
        return failAt(file.string(), 0, "the table [run] is missing", "Restore the file or start a new run");
    SPARSERL_CHECK(checkFormat(*run, 1, "the run", file.string()));
    RunConfig config;
    config.stage = text(*run, "stage");
    if (config.stage.empty())
        return failAt(file.string(), 0, "\"stage\" is missing in [run]",
                      "Restore the file or start a new run");
    config.title = text(*run, "title");
    config.preset = text(*run, "preset");
    config.parentRun = text(*run, "parent_run");
    config.parentCheckpoint = text(*run, "parent_checkpoint");
    config.parentDigest = text(*run, "parent_digest");
    config.forkOf = text(*run, "fork_of");
    config.forkCheckpoint = text(*run, "fork_checkpoint");
    config.project = text(*run, "project");
    if (const auto created = parseIsoTime(text(*run, "created")))
        config.created = *created;
    if (const toml::table* parameters = table["parameters"].as_table()) {
        for (const auto& [key, node] : *parameters) {
            auto value = valueFromNode(node);
            if (!value)
                return failAt(file.string(), lineOf(node),
                              fmt::format("parameter \"{}\" must be a truth value, a number or text",
                                          std::string_view(key)));
            config.parameters[std::string(std::string_view(key))] = std::move(*value);
        }
    }
    if (const toml::table* versions = table["versions"].as_table()) {
        for (const auto& [key, node] : *versions)
            config.versions[std::string(std::string_view(key))] = node.value_or(std::string());
    }
    return config;
}

} // namespace sparserl
