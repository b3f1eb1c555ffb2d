// SPDX-License-Identifier: Apache-2.0
#include "project/run/control.h"

#include "base/beneath.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/time.h"
#include "project/files/file_handle.h"
#include "project/files/line_reader.h"
#include "project/files/run_files.h"
#include "project/files/unique_id.h"

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
    SPARSERL_TRY(const auto json, parseJson(line));
    SPARSERL_TRY(const auto name, jsonRequire<std::string>(json, "command"));
    ControlCommand command;
    bool known = false;
    for (const auto& [kind, text] : kinds) {
        if (text == name) {
            command.kind = kind;
            known = true;
        }
    }
    if (!known)
        return fail(fmt::format("unknown command \"{}\"", name));
    command.id = jsonValue<std::string>(json, "id", {});
    command.t = jsonValue(json, "t", 0.0);
    command.key = jsonValue<std::string>(json, "key", {});
    if (const auto value = json.find("value"); value != json.end())
        // A number or a truth value means what it says, as in job.toml.
        command.value = value->is_string() ? value->get<std::string>() : dumpJson(*value);
    return command;
}

struct ControlLine
{
    std::int64_t offset = 0;
    std::string text;
};

/// Complete lines from `offset` on; advances it. A file that has become shorter is another one: read from its
/// start.
Result<std::vector<ControlLine>> newLines(const std::filesystem::path& path, std::int64_t& offset)
{
    std::vector<ControlLine> found;
    SPARSERL_TRY(const auto there, lookAt(path));
    if (!there.exists) {
        offset = 0;
        return found;
    }
    SPARSERL_TRY(const auto file, FileHandle::openRead(path));
    SPARSERL_TRY(const auto size, file.size());
    if (size < offset)
        offset = 0;
    LineReader lines(file, offset, size);
    for (;;) {
        SPARSERL_TRY(const auto line, lines.next());
        if (!line) {
            SPARSERL_CHECK(lines.rest(path));
            return found;
        }
        offset = line->end;
        if (!line->text.empty())
            found.push_back({line->offset, std::string(line->text)});
    }
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
    SPARSERL_TRY(const auto there, lookAt(runDirectory / runFile));
    if (!there.exists)
        return failAt(runDirectory.string(), 0, "this is not a run directory");
    SPARSERL_CHECK(appendLine(runDirectory / controlFile, dumpJson(json)));
    return command.id;
}

ControlReader::ControlReader(const std::filesystem::path& runDirectory, std::set<std::string> answered,
                             std::int64_t begin)
    : m_file(runDirectory / controlFile)
    , m_answered(std::move(answered))
    , m_begin(begin)
{
}

std::vector<ControlCommand> ControlReader::poll()
{
    std::vector<ControlCommand> commands;
    const std::int64_t before = m_offset;
    const auto lines = newLines(m_file, m_offset);
    if (!lines) {
        if (m_problems.empty() || m_problems.back() != lines.error().sentence())
            m_problems.push_back(lines.error().sentence());
        return commands;
    }
    if (m_offset < before || (!lines->empty() && lines->front().offset < before)) {
        m_begin = 0; // another file: all that is in it came since
        m_seen.clear();
    }
    for (const auto& [offset, line] : *lines) {
        auto command = commandFromLine(line);
        if (!command) {
            m_problems.push_back(fmt::format("{}: a command was not understood: {}", m_file.string(),
                                             shortened(command.error().what)));
            continue;
        }
        if (!command->id.empty() && !m_seen.insert(command->id).second) {
            if (offset >= m_begin)
                m_problems.push_back(fmt::format("{}: the command {} has the id \"{}\" of an earlier one "
                                                 "and was skipped: an id counts once. Give each command its "
                                                 "own",
                                                 m_file.string(), nameOf(command->kind),
                                                 shortened(command->id)));
            continue;
        }
        if (!command->id.empty() && !m_answered.insert(command->id).second)
            continue;
        if (command->kind != Kind::Set && offset < m_begin)
            continue;
        commands.push_back(std::move(*command));
    }
    return commands;
}

std::int64_t controlLength(const std::filesystem::path& runDirectory)
{
    return static_cast<std::int64_t>(glance(runDirectory / controlFile).bytes);
}

Result<std::vector<ControlCommand>> readControl(const std::filesystem::path& runDirectory)
{
    std::int64_t offset = 0;
    SPARSERL_TRY(const auto lines, newLines(runDirectory / controlFile, offset));
    std::vector<ControlCommand> commands;
    for (const ControlLine& line : lines) {
        if (auto command = commandFromLine(line.text))
            commands.push_back(std::move(*command));
    }
    return commands;
}

} // namespace sparserl
