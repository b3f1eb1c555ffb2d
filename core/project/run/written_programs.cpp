// SPDX-License-Identifier: Apache-2.0
#include "project/run/written_programs.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/time.h"
#include "project/files/file_handle.h"
#include "project/files/json_lines.h"
#include "project/files/project.h"
#include "project/files/unique_id.h"

namespace sparserl {
namespace {

constexpr const char* judgeSettings = "judge.";

/// Only how it is judged: a run has a hundred parameters, which say nothing of a program.
nlohmann::json settingsJson(const std::map<std::string, ParameterValue>& settings)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [key, value] : settings)
        if (const auto* text = std::get_if<std::string>(&value); text && key.starts_with(judgeSettings))
            json[key] = *text;
    return json;
}

std::map<std::string, ParameterValue> settingsFrom(const nlohmann::json& line)
{
    std::map<std::string, ParameterValue> settings;
    const auto found = line.find("settings");
    if (found == line.end() || !found->is_object())
        return settings;
    for (const auto& [key, value] : found->items())
        if (value.is_string() && key.starts_with(judgeSettings))
            settings[key] = value.get<std::string>();
    return settings;
}

std::optional<WrittenProgram> programFrom(const nlohmann::json& json)
{
    const auto text = [&json](const char* key) { return jsonValue<std::string>(json, key, {}); };
    auto target = TargetId::fromKey(text("target"));
    if (!target || text("text").empty())
        return std::nullopt;
    WrittenProgram program;
    program.id = text("id");
    program.t = jsonValue(json, "t", 0.0);
    program.origin = text("origin");
    program.source = text("source");
    program.text = text("text");
    program.target = std::move(*target);
    program.target.name = text("matrix_name");
    program.split = text("split");
    program.family = text("family");
    program.tokens = jsonValue<std::int64_t>(json, "tokens", 0);
    program.logProb = jsonValue(json, "log_prob", 0.0);
    program.settings = settingsFrom(json);
    if (const auto found = json.find("record"); found != json.end())
        if (auto record = verdictRecordFromJson(*found);
            record && record->target == program.target && record->programHash == sha256Hex(program.text))
            program.record = std::move(*record);
    return program;
}

} // namespace

Result<std::string> addWrittenProgram(const std::filesystem::path& project, WrittenProgram program)
{
    if (program.id.empty())
        program.id = uniqueId();
    if (program.t == 0)
        program.t = unixSeconds();
    if (program.split.empty()) {
        SPARSERL_TRY(const auto opened, Project::open(project));
        if (const MatrixEntry* entry = opened.matrixByDigest(program.target.contents))
            program.split = entry->split;
    }
    nlohmann::json json = {{"id", program.id},
                           {"t", program.t},
                           {"origin", program.origin},
                           {"source", program.source},
                           {"target", program.target.key()},
                           {"matrix_name", program.target.name},
                           {"split", program.split},
                           {"family", program.family},
                           {"tokens", program.tokens},
                           {"log_prob", program.logProb},
                           {"settings", settingsJson(program.settings)},
                           {"text", program.text}};
    if (program.record)
        json["record"] = toJson(*program.record);
    SPARSERL_CHECK(appendLine(project / writtenFile, dumpJson(json)));
    return program.id;
}

Result<std::vector<WrittenProgram>> readWrittenPrograms(const std::filesystem::path& project)
{
    std::vector<WrittenProgram> programs;
    SPARSERL_TRY(const auto lines, readJsonLines(project / writtenFile));
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (auto program = programFrom(lines[i])) {
            program->line = static_cast<std::int64_t>(i) + 1;
            programs.push_back(std::move(*program));
        }
    return programs;
}

Result<WrittenProgram> readWrittenProgram(const std::filesystem::path& project, std::int64_t line)
{
    SPARSERL_TRY(auto programs, readWrittenPrograms(project));
    for (WrittenProgram& program : programs)
        if (program.line == line)
            return std::move(program);
    return failAt((project / writtenFile).string(), static_cast<int>(line), "no such program is there");
}

} // namespace sparserl
