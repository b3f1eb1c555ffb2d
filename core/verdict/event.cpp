// SPDX-License-Identifier: Apache-2.0
#include "verdict/event.h"

#include "base/files.h"
#include "base/json.h"
#include "verdict/event_fields.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace sparserl {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<RunState, std::string_view>, 5> runStates{{{RunState::Queued, "queued"},
                                                                          {RunState::Running, "running"},
                                                                          {RunState::Paused, "paused"},
                                                                          {RunState::Done, "done"},
                                                                          {RunState::Failed, "failed"}}};

/// Writes an event's own members into the entry's object.
struct Writer
{
    Json& json;

    template <Described E>
    void operator()(const E& e) const
    {
        FieldWriter writer(json);
        Fields<E>::of(e, writer);
    }
    void operator()(const ProgramEvent& e) const
    {
        json["hash"] = e.hash;
        json["text_zlib"] = base64Encode(zlibCompress(e.text));
    }
    void operator()(const VerdictEvent& e) const { json["record"] = toJson(e.record); }
    void operator()(const UnknownEvent& e) const
    {
        for (const auto& [key, value] : e.json.items()) {
            if (!json.contains(key))
                json[key] = value;
        }
    }
};

std::string text(const Json& json, const char* key)
{
    return jsonValue<std::string>(json, key, {});
}

/// What can be read of an event; the rest keeps its defaults. One whose target this version does not know is
/// an error.
template <Described E>
Result<Event> read(const Json& json)
{
    E event;
    try {
        readFields(json, event, readLeniently);
    } catch (const Json::exception& exception) {
        return fail(std::string("an entry that this version does not understand: ") + exception.what());
    }
    return event;
}

/// Each value becomes a row that repeats both names: a line of others must not become thousands of times as
/// large in the index. No line of ours comes near.
Result<Event> readMetrics(const Json& json)
{
    constexpr std::size_t longestName = 200, mostValues = 1000;
    SPARSERL_TRY(auto event, read<MetricEvent>(json));
    const auto& metrics = std::get<MetricEvent>(event);
    if (metrics.values.size() > mostValues)
        return fail(fmt::format("{} metrics in one entry, of which {} are read at most",
                                metrics.values.size(), mostValues));
    std::size_t longest = metrics.split.size();
    for (const auto& [name, value] : metrics.values)
        longest = std::max(longest, name.size());
    if (longest > longestName)
        return fail(fmt::format("a metric or a split with a name of {} bytes, of which {} are read at most",
                                longest, longestName));
    return event;
}

Result<Event> readState(const Json& json)
{
    if (!runStateFromName(text(json, "state")))
        return fail("unknown state \"" + text(json, "state") + "\"");
    return read<StateEvent>(json);
}

Result<Event> readProgram(const Json& json)
{
    SPARSERL_TRY(const auto packed, base64Decode(text(json, "text_zlib")));
    constexpr std::uint64_t mostBytes = 1 << 20; // Programs have 64 KiB at most.
    SPARSERL_TRY(auto plain, zlibDecompress(packed, mostBytes));
    return ProgramEvent{text(json, "hash"), std::move(plain)};
}

Result<Event> readEvent(const Json& json, const std::string& kind)
{
    if (kind == "state")
        return readState(json);
    if (kind == "metric")
        return readMetrics(json);
    if (kind == "program")
        return readProgram(json);
    if (kind == "sample")
        return read<SampleEvent>(json);
    if (kind == "verdict") {
        const auto it = json.find("record");
        if (it == json.end())
            return fail("a verdict without \"record\"");
        SPARSERL_TRY(auto record, verdictRecordFromJson(*it));
        return VerdictEvent{std::move(record)};
    }
    if (kind == "evaluation")
        return read<EvaluationEvent>(json);
    if (kind == "control")
        return read<ControlEvent>(json);
    if (kind == "checkpoint")
        return read<CheckpointEvent>(json);
    if (kind == "log")
        return read<LogEvent>(json);
    return UnknownEvent{kind, json};
}

} // namespace

std::string_view nameOf(RunState state)
{
    for (const auto& [value, name] : runStates) {
        if (value == state)
            return name;
    }
    return "unknown";
}

std::optional<RunState> runStateFromName(std::string_view name)
{
    for (const auto& [value, known] : runStates) {
        if (known == name)
            return value;
    }
    return std::nullopt;
}

nlohmann::json toJson(const ProposalOrigin& origin)
{
    return writeFields(origin);
}

ProposalOrigin proposalFromJson(const nlohmann::json& json)
{
    ProposalOrigin origin;
    if (!json.is_object())
        return origin;
    try {
        readFields(json, origin, readLeniently);
    } catch (const nlohmann::json::exception&) { // NOLINT(bugprone-empty-catch): what was read stays.
    }
    return origin;
}

double advantageAt(const std::vector<AdvantageRun>& runs, std::int64_t at)
{
    std::int64_t left = at;
    for (const AdvantageRun& run : runs) {
        if (left < 0 || run.bytes < 0)
            break;
        if (left < run.bytes)
            return run.advantage;
        left -= run.bytes;
    }
    return left == 0 && !runs.empty() ? runs.back().advantage : std::numeric_limits<double>::quiet_NaN();
}

nlohmann::json toJson(const std::vector<AdvantageRun>& runs)
{
    return fieldToJson(AsRow{runs});
}

Result<std::vector<AdvantageRun>> advantagesFromJson(const nlohmann::json& json)
{
    std::vector<AdvantageRun> runs;
    try {
        FieldCodec<AsRow<std::vector<AdvantageRun>>>::read(json, AsRow{runs}, readRecord);
    } catch (const nlohmann::json::exception& error) {
        return fail(fmt::format("the advantages of a sample are damaged: {}", error.what()));
    }
    return runs;
}

std::string_view kindOf(const Event& event)
{
    constexpr std::array<std::string_view, 9> kinds{
        "state", "metric", "program", "sample", "verdict", "evaluation", "control", "checkpoint", "log"};
    if (const auto* unknown = std::get_if<UnknownEvent>(&event))
        return unknown->kind;
    return kinds[event.index()];
}

nlohmann::json toJson(const JournalEntry& entry)
{
    Json json;
    json["seq"] = entry.seq;
    json["gen"] = entry.gen;
    json["t"] = entry.t;
    json["step"] = entry.step;
    json["kind"] = kindOf(entry.event);
    std::visit(Writer{json}, entry.event);
    return json;
}

Result<JournalEntry> journalEntryFromJson(const nlohmann::json& json)
{
    const auto seq = jsonRequire<std::int64_t>(json, "seq");
    const auto kind = jsonRequire<std::string>(json, "kind");
    if (!seq)
        return fail(seq.error());
    if (!kind)
        return fail(kind.error());
    JournalEntry entry;
    entry.seq = *seq;
    entry.gen = jsonValue(json, "gen", 0);
    if (const auto t = json.find("t"); t != json.end())
        entry.t = numberFromJson(*t).value_or(0);
    entry.step = jsonValue<std::int64_t>(json, "step", 0);
    SPARSERL_TRY(auto event, readEvent(json, *kind));
    entry.event = std::move(event);
    return entry;
}

std::string familiesText(const std::map<std::string, std::int64_t>& counts)
{
    std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (const auto& [family, count] : sorted)
        text += (text.empty() ? "" : " ") + std::to_string(count) + "x" + family;
    return text;
}

std::string familiesText(const EvaluationEvent& event)
{
    auto text = familiesText(event.familyCounts);
    if (event.familyCounts.empty()) {
        for (const auto& family : event.families)
            text += (text.empty() ? "" : " ") + family;
    }
    if (!event.bestFamily.empty())
        text += (text.empty() ? "fastest corpus family: " : ", fastest corpus family: ") + event.bestFamily;
    return text;
}

} // namespace sparserl
