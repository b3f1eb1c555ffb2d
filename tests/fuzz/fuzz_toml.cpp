// SPDX-License-Identifier: Apache-2.0
// Every file in TOML: job.toml, run.toml, project.toml, presets. All readers get each input.
#include "base/json.h"
#include "base/toml.h"
#include "fuzz.h"
#include "project/files/project_file.h"
#include "project/run/run_config.h"
#include "training/parameters/stage_parameters.h"
#include "training/work/job.h"

#include <algorithm>

namespace {

using namespace sparserl;
using fuzz::checkError;

void checkJob(const std::filesystem::path& file, int lines)
{
    const auto job = readJob(file);
    if (!job) {
        checkError(job.error());
        FUZZ_CHECK(job.error().line <= lines);
        return;
    }
    FUZZ_CHECK(!job->stages.empty());
    for (const JobStage& stage : job->stages)
        FUZZ_CHECK(!stage.run.empty() && stage.run.find('/') == std::string::npos &&
                   stage.run.front() != '.');
    const auto variant = variantOf(*job, "v-", {});
    if (!variant)
        checkError(variant.error());
    else
        FUZZ_CHECK(variant->stages.size() == job->stages.size());
}

void checkRun(const std::filesystem::path& file, int lines)
{
    const auto config = readRunConfig(file);
    if (!config) {
        checkError(config.error());
        FUZZ_CHECK(config.error().line <= lines);
        return;
    }
    const auto path = fuzz::scratch("toml") / "again.toml";
    FUZZ_CHECK(writeRunConfig(path, *config).has_value());
    const auto again = readRunConfig(path);
    FUZZ_CHECK(again.has_value());
    FUZZ_CHECK(again->stage == config->stage && again->title == config->title &&
               again->project == config->project && again->versions == config->versions);
    FUZZ_CHECK(again->parameters.size() == config->parameters.size());
    for (const auto& [key, value] : config->parameters) {
        const auto found = again->parameters.find(key);
        FUZZ_CHECK(found != again->parameters.end() && toText(found->second) == toText(value));
    }
    if (const auto stage = stageKindFromName(config->stage)) {
        const auto parameters = parametersFromRun(*stage, config->parameters);
        if (!parameters)
            checkError(parameters.error());
    } else {
        checkError(stage.error());
    }
}

void checkProject(const std::string& text, int lines)
{
    const auto project = parseProjectFile(text, "project.toml");
    if (!project) {
        checkError(project.error());
        FUZZ_CHECK(project.error().line <= lines);
        return;
    }
    const std::string written = formatProjectFile(*project);
    const auto again = parseProjectFile(written, "again.toml");
    FUZZ_CHECK(again.has_value() && again->title == project->title);
    FUZZ_CHECK(again->matrices.size() == project->matrices.size() && formatProjectFile(*again) == written);
    MatrixEntry entry;
    entry.name = "one more \"\\\x07\n";
    entry.file = "a.mtx";
    const auto more = parseProjectFile(withMatrix(text, entry), "more.toml");
    FUZZ_CHECK(more.has_value() ? more->matrices.size() == project->matrices.size() + 1
                                : !project->matrices.empty() || text.find("matrix") != std::string::npos);
}

void checkTable(const std::string& text, int lines)
{
    const auto table = parseToml(text, "input.toml");
    if (!table) {
        checkError(table.error());
        FUZZ_CHECK(table.error().line <= lines);
        return;
    }
    const nlohmann::json json = jsonFromToml(*table);
    const auto again = parseToml(formatToml(*table), "again.toml");
    FUZZ_CHECK(again.has_value() && dumpJson(jsonFromToml(*again)) == dumpJson(json));
    const auto converted = tomlFromJson(json);
    FUZZ_CHECK(converted.has_value() && dumpJson(jsonFromToml(*converted)) == dumpJson(json));
    for (const StageKind kind : stageKinds()) {
        ParameterSet set(stageParameters(kind));
        if (const auto merged = set.merge(*table, "input.toml"); !merged) {
            checkError(merged.error());
            FUZZ_CHECK(set == ParameterSet(stageParameters(kind)));
        }
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(fuzz::textOf(data, size));
    const int lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    checkTable(text, lines);
    checkProject(text, lines);
    const auto file = fuzz::writeFile(fuzz::scratch("toml") / "input.toml", text);
    checkJob(file, lines);
    checkRun(file, lines);
    return 0;
}
