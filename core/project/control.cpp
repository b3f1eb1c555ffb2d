// SPDX-License-Identifier: Apache-2.0
#include "project/control.h"

#include "base/json.h"
#include "base/time.h"
#include "project/file_handle.h"
#include "project/unique_id.h"

#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace sparserl {
namespace {

using Kind = ControlCommand::Kind;
constexpr std::array<std::pair<Kind, std::string_view>, 5> kinds{{{Kind::Pause, "pause"},
                                                                  {Kind::Resume, "resume"},
                                                                  {Kind::Stop, "stop"},
                                                                  {Kind::Checkpoint, "checkpoint"},
                                                                  {Kind::Set, "set"}}};

Result<ControlCommand> commandFromLine(std::string_view line)
{
    const auto json = parseJson(line);
    if (!json)
        return fail(json.error());
    const auto name = jsonRequire<std::string>(*json, "command");
    if (!name)
        return fail(name.error());
    ControlCommand command;
    bool known = false;
    for (const auto& [kind, text] : kinds) {
        if (text == *name) {
            command.kind = kind;
            known = true;
        }
    }
    if (!known)
        return fail(fmt::format("unknown command \"{}\"", *name));
    command.id = jsonValue<std::string>(*json, "id", {});
    command.t = jsonValue(*json, "t", 0.0);
    command.key = jsonValue<std::string>(*json, "key", {});
    command.value = jsonValue<std::string>(*json, "value", {});
    return command;
}

/// Complete lines from `offset` on; advances it.
Result<std::vector<std::string>> newLines(const std::filesystem::path& path, std::int64_t& offset)
{
    std::vector<std::string> lines;
    std::error_code code;
    if (!std::filesystem::exists(path, code))
        return lines;
    const auto file = FileHandle::openRead(path);
    if (!file)
        return fail(file.error());
    const auto size = file->size();
    if (!size)
        return fail(size.error());
    if (*size <= offset)
        return lines;
    const auto text = file->read(offset, *size - offset);
    if (!text)
        return fail(text.error());
    std::size_t at = 0;
    for (std::size_t end; (end = text->find('\n', at)) != std::string::npos; at = end + 1) {
        if (end > at)
            lines.push_back(text->substr(at, end - at));
    }
    offset += static_cast<std::int64_t>(at);
    return lines;
}

} // namespace

std::string_view nameOf(ControlCommand::Kind kind)
{
    return kinds[static_cast<std::size_t>(kind)].second;
}

Result<std::string> appendControl(const std::filesystem::path& runDirectory, ControlCommand command)
{
    if (command.id.empty())
        command.id = uniqueId();
    if (command.t == 0)
        command.t = unixSeconds();
    nlohmann::json json = {{"id", command.id}, {"t", command.t}, {"command", nameOf(command.kind)}};
    if (command.kind == Kind::Set) {
        if (command.key.empty())
            return fail("a change of a parameter needs the parameter's name");
        json["key"] = command.key;
        json["value"] = command.value;
    }
    std::error_code code;
    if (!std::filesystem::exists(runDirectory / "run.toml", code))
        return failAt(runDirectory.string(), 0, "this is not a run directory");
    if (auto status = appendLine(runDirectory / "control.jsonl", dumpJson(json)); !status)
        return fail(status.error());
    return command.id;
}

ControlReader::ControlReader(std::filesystem::path runDirectory, std::set<std::string> answered,
                             double notBefore)
    : m_file(std::move(runDirectory) / "control.jsonl")
    , m_answered(std::move(answered))
    , m_notBefore(notBefore)
{
}

std::vector<ControlCommand> ControlReader::poll()
{
    std::vector<ControlCommand> commands;
    const auto lines = newLines(m_file, m_offset);
    if (!lines) {
        if (m_problems.empty() || m_problems.back() != lines.error().sentence())
            m_problems.push_back(lines.error().sentence());
        return commands;
    }
    for (const std::string& line : *lines) {
        auto command = commandFromLine(line);
        if (!command) {
            m_problems.push_back(
                fmt::format("{}: a command was not understood: {}", m_file.string(), command.error().what));
            continue;
        }
        if (!command->id.empty() && !m_answered.insert(command->id).second)
            continue;
        if (command->kind != Kind::Set && command->t < m_notBefore)
            continue;
        commands.push_back(std::move(*command));
    }
    return commands;
}

Result<std::vector<ControlCommand>> readControl(const std::filesystem::path& runDirectory)
{
    std::int64_t offset = 0;
    const auto lines = newLines(runDirectory / "control.jsonl", offset);
    if (!lines)
        return fail(lines.error());
    std::vector<ControlCommand> commands;
    for (const std::string& line : *lines) {
        if (auto command = commandFromLine(line))
            commands.push_back(std::move(*command));
    }
    return commands;
}

} // namespace sparserl
