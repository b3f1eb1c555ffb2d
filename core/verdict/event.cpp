// SPDX-License-Identifier: Apache-2.0
#include "verdict/event.h"

#include "base/files.h"
#include "base/json.h"
#include "base/json_number.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sparserl {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<RunState, std::string_view>, 5> runStates{{{RunState::Queued, "queued"},
                                                                          {RunState::Running, "running"},
                                                                          {RunState::Paused, "paused"},
                                                                          {RunState::Done, "done"},
                                                                          {RunState::Failed, "failed"}}};

Json numbers(const std::map<std::string, double>& values)
{
    Json out = Json::object();
    for (const auto& [name, value] : values)
        out[name] = jsonFromNumber(value);
    return out;
}

std::map<std::string, double> numbersFrom(const Json& json, const char* key)
{
    std::map<std::string, double> out;
    const auto it = json.find(key);
    if (it != json.end() && it->is_object()) {
        for (const auto& [name, value] : it->items()) {
            if (const auto number = numberFromJson(value))
                out[name] = *number;
        }
    }
    return out;
}

double number(const Json& json, const char* key, double fallback)
{
    const auto it = json.find(key);
    return it == json.end() ? fallback : numberFromJson(*it).value_or(fallback);
}

/// Writes an event's own members into the entry's object.
struct Writer
{
    Json& json;

    void operator()(const StateEvent& e) const
    {
        json["state"] = nameOf(e.state);
        if (!e.reason.empty())
            json["reason"] = e.reason;
        if (e.totalSteps != 0)
            json["total_steps"] = e.totalSteps;
    }
    void operator()(const MetricEvent& e) const
    {
        json["split"] = e.split;
        json["values"] = numbers(e.values);
    }
    void operator()(const ProgramEvent& e) const
    {
        json["hash"] = e.hash;
        json["text_zlib"] = base64Encode(zlibCompress(e.text));
    }
    void operator()(const SampleEvent& e) const
    {
        json["program"] = e.programHash;
        json["matrix"] = e.matrixDigest;
        json["matrix_name"] = e.matrixName;
        json["origin"] = e.origin;
        json["split"] = e.split;
        json["family"] = e.family;
        json["log_prob"] = jsonFromNumber(e.logProb);
        json["tokens"] = e.tokens;
        json["reward"] = jsonFromNumber(e.reward);
        json["reward_parts"] = numbers(e.rewardParts);
        if (e.truncated)
            json["truncated"] = true;
    }
    void operator()(const VerdictEvent& e) const { json["record"] = toJson(e.record); }
    void operator()(const EvaluationEvent& e) const
    {
        json["policy"] = e.policy;
        json["matrix"] = e.matrixDigest;
        json["matrix_name"] = e.matrixName;
        json["split"] = e.split;
        json["nnz"] = e.nnz;
        json["samples"] = e.samples;
        json["compiled"] = e.compiled;
        json["correct"] = e.correct;
        json["faster"] = e.faster;
        json["best_us"] = jsonFromNumber(e.bestMicroseconds);
        json["baseline_us"] = jsonFromNumber(e.baselineMicroseconds);
        json["best_program"] = e.bestProgram;
        json["families"] = e.families;
        if (!e.familyCounts.empty())
            json["family_counts"] = e.familyCounts;
        if (!e.bestFamily.empty())
            json["best_family"] = e.bestFamily;
        json["mean_reward"] = jsonFromNumber(e.meanReward);
    }
    void operator()(const ControlEvent& e) const
    {
        json["id"] = e.id;
        json["command"] = e.command;
        if (!e.key.empty()) {
            json["key"] = e.key;
            json["value"] = e.value;
        }
        json["outcome"] = e.outcome;
        if (!e.message.empty())
            json["message"] = e.message;
        json["effective_step"] = e.effectiveStep;
    }
    void operator()(const CheckpointEvent& e) const { json["name"] = e.name; }
    void operator()(const LogEvent& e) const
    {
        json["level"] = e.level;
        json["text"] = e.text;
    }
    void operator()(const UnknownEvent& e) const
    {
        for (const auto& [key, value] : e.json.items()) {
            if (!json.contains(key))
                json[key] = value;
        }
    }
};

std::string text(const Json& json, const char* key, std::string fallback = {})
{
    return jsonValue<std::string>(json, key, std::move(fallback));
}

Result<Event> readState(const Json& json)
{
    const auto state = runStateFromName(text(json, "state"));
    if (!state)
        return fail("unknown state \"" + text(json, "state") + "\"");
    return StateEvent{*state, text(json, "reason"), jsonValue<std::int64_t>(json, "total_steps", 0)};
}

Result<Event> readProgram(const Json& json)
{
    SPARSERL_TRY(const auto packed, base64Decode(text(json, "text_zlib")));
    SPARSERL_TRY(auto plain, zlibDecompress(packed));
    return ProgramEvent{text(json, "hash"), std::move(plain)};
}

SampleEvent readSample(const Json& json)
{
    SampleEvent e;
    e.programHash = text(json, "program");
    e.matrixDigest = text(json, "matrix");
    e.matrixName = text(json, "matrix_name");
    e.origin = text(json, "origin", "policy");
    e.split = text(json, "split", "train");
    e.family = text(json, "family");
    e.logProb = number(json, "log_prob", 0);
    e.tokens = jsonValue<std::int64_t>(json, "tokens", 0);
    e.reward = number(json, "reward", 0);
    e.rewardParts = numbersFrom(json, "reward_parts");
    e.truncated = jsonValue(json, "truncated", false);
    return e;
}

EvaluationEvent readEvaluation(const Json& json)
{
    EvaluationEvent e;
    e.policy = text(json, "policy");
    e.matrixDigest = text(json, "matrix");
    e.matrixName = text(json, "matrix_name");
    e.split = text(json, "split", "held-out");
    e.nnz = jsonValue<std::int64_t>(json, "nnz", 0);
    e.samples = jsonValue<std::int64_t>(json, "samples", 0);
    e.compiled = jsonValue<std::int64_t>(json, "compiled", 0);
    e.correct = jsonValue<std::int64_t>(json, "correct", 0);
    e.faster = jsonValue<std::int64_t>(json, "faster", 0);
    e.bestMicroseconds = number(json, "best_us", 0);
    e.baselineMicroseconds = number(json, "baseline_us", 0);
    e.bestProgram = text(json, "best_program");
    e.families = jsonValue<std::vector<std::string>>(json, "families", {});
    e.familyCounts = jsonValue<std::map<std::string, std::int64_t>>(json, "family_counts", {});
    e.bestFamily = text(json, "best_family");
    e.meanReward = number(json, "mean_reward", 0);
    return e;
}

ControlEvent readControlEvent(const Json& json)
{
    return {text(json, "id"),
            text(json, "command"),
            text(json, "key"),
            text(json, "value"),
            text(json, "outcome", "applied"),
            text(json, "message"),
            jsonValue<std::int64_t>(json, "effective_step", 0)};
}

Result<Event> readEvent(const Json& json, const std::string& kind)
{
    if (kind == "state")
        return readState(json);
    if (kind == "metric")
        return MetricEvent{text(json, "split", "train"), numbersFrom(json, "values")};
    if (kind == "program")
        return readProgram(json);
    if (kind == "sample")
        return readSample(json);
    if (kind == "verdict") {
        const auto it = json.find("record");
        if (it == json.end())
            return fail("a verdict without \"record\"");
        SPARSERL_TRY(auto record, verdictRecordFromJson(*it));
        return VerdictEvent{std::move(record)};
    }
    if (kind == "evaluation")
        return readEvaluation(json);
    if (kind == "control")
        return readControlEvent(json);
    if (kind == "checkpoint")
        return CheckpointEvent{text(json, "name")};
    if (kind == "log")
        return LogEvent{text(json, "level", "info"), text(json, "text")};
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
    entry.t = number(json, "t", 0);
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
        text += (text.empty() ? "best " : ", best ") + event.bestFamily;
    return text;
}

} // namespace sparserl
