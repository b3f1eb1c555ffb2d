// SPDX-License-Identifier: Apache-2.0
#include "verdict/record.h"

#include "base/json_exact.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace sparserl {

namespace {

/// JSON has no NaN and no infinity; a wrong result often is one, so these travel as strings.
nlohmann::json number(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

double readNumber(const nlohmann::json& json)
{
    if (!json.is_string())
        return json.get<double>();
    const auto text = json.get<std::string>();
    if (text == "inf")
        return INFINITY;
    return text == "-inf" ? -INFINITY : NAN;
}

nlohmann::json timingJson(const Timing& timing)
{
    return {{"median", number(timing.median)},
            {"q25", number(timing.q25)},
            {"q75", number(timing.q75)},
            {"n", timing.n}};
}

Timing readTiming(const nlohmann::json& json)
{
    return {readNumber(json.at("median")), readNumber(json.at("q25")), readNumber(json.at("q75")),
            jsonExact<int>(json.at("n"))};
}

nlohmann::json linesJson(const std::vector<LineCounters>& lines)
{
    // Column-wise: a record of a pinned program has hundreds of lines, and keys would be most of the text.
    auto rows = nlohmann::json::array();
    for (const auto& l : lines)
        rows.push_back({l.line, l.warpInstructions, l.threadInstructions, l.globalSectors, l.l1Hits, l.l2Hits,
                        l.dramSectors, l.bankConflicts, l.atomics, l.divergentBranches});
    return {{"columns",
             {"line", "warp_instructions", "thread_instructions", "global_sectors", "l1_hits", "l2_hits",
              "dram_sectors", "bank_conflicts", "atomics", "divergent_branches"}},
            {"rows", rows}};
}

std::vector<LineCounters> readLines(const nlohmann::json& json)
{
    std::vector<LineCounters> lines;
    for (const auto& row : json.at("rows")) {
        LineCounters l;
        l.line = jsonExact<int>(row.at(0));
        std::size_t column = 1;
        for (auto field : {&LineCounters::warpInstructions, &LineCounters::threadInstructions,
                           &LineCounters::globalSectors, &LineCounters::l1Hits, &LineCounters::l2Hits,
                           &LineCounters::dramSectors, &LineCounters::bankConflicts, &LineCounters::atomics,
                           &LineCounters::divergentBranches})
            l.*field = jsonExact<std::int64_t>(row.at(column++));
        lines.push_back(l);
    }
    return lines;
}

} // namespace

double VerdictRecord::speedup() const
{
    return warm && warm->median > 0 && baselineMicroseconds > 0 ? baselineMicroseconds / warm->median : 0;
}

nlohmann::json toJson(const VerdictRecord& r)
{
    nlohmann::json json = {{"program", r.programHash},
                           {"ptx", r.ptxHash},
                           {"matrix", r.matrixDigest},
                           {"matrix_name", r.matrixName},
                           {"task", r.task},
                           {"dense_columns", r.denseColumns},
                           {"device", r.device},
                           {"simulated", r.simulated},
                           {"verdict", nameOf(r.verdict)},
                           {"flags", r.flags.names()},
                           {"seed", r.seed},
                           {"protocol", r.protocolVersion},
                           {"judge_seconds", number(r.judgeSeconds)}};
    const auto text = [&](const char* key, const std::string& value) {
        if (!value.empty())
            json[key] = value;
    };
    text("message", r.message);
    text("log", r.log);
    text("battery_case", r.batteryCase);
    text("occupancy_limiter", r.occupancyLimiter);
    text("baseline", r.baselineName);
    text("baseline_algorithm", r.baselineAlgorithm);
    if (r.line)
        json["line"] = r.line;
    if (r.block)
        json["block"] = *r.block;
    if (r.thread)
        json["thread"] = *r.thread;
    if (r.wrong)
        json["wrong"] = {{"row", r.wrong->row},
                         {"column", r.wrong->column},
                         {"expected", number(r.wrong->expected)},
                         {"got", number(r.wrong->got)},
                         {"bound", number(r.wrong->bound)}};
    if (r.boundShare > 0)
        json["bound_share"] = number(r.boundShare);
    json["registers"] = r.registers;
    json["static_shared"] = r.staticShared;
    json["dynamic_shared"] = r.dynamicShared;
    json["local_bytes"] = r.localBytes;
    json["occupancy"] = number(r.occupancy);
    if (r.warm)
        json["warm"] = timingJson(*r.warm);
    if (r.cold)
        json["cold"] = timingJson(*r.cold);
    json["setup_us"] = number(r.setupMicroseconds);
    json["baseline_us"] = number(r.baselineMicroseconds);
    if (r.defaultRoutineMicroseconds > 0)
        json["default_routine_us"] = number(r.defaultRoutineMicroseconds);
    if (r.bestRoutineMicroseconds > 0)
        json["best_routine_us"] = number(r.bestRoutineMicroseconds);
    json["speedup"] = number(r.speedup());
    json["compulsory_bytes"] = r.compulsoryBytes;
    json["share_of_limit"] = number(r.shareOfLimit);
    if (!r.lines.empty())
        json["lines"] = linesJson(r.lines);
    return json;
}

Result<VerdictRecord> verdictRecordFromJson(const nlohmann::json& json)
{
    // Absent keys keep their defaults, so that records of older versions stay readable.
    try {
        VerdictRecord r;
        const auto get = [&](const char* key, auto& value) {
            if (const auto it = json.find(key); it != json.end())
                jsonExactTo(*it, value);
        };
        const auto getNumber = [&](const char* key, double& value) {
            if (const auto it = json.find(key); it != json.end())
                value = readNumber(*it);
        };
        const auto name = json.at("verdict").get<std::string>();
        const auto verdict = verdictFromName(name);
        if (!verdict)
            return fail("unknown verdict \"" + name + "\" in a verdict record",
                        "the record is of a newer version: update this program");
        r.verdict = *verdict;
        get("program", r.programHash);
        get("ptx", r.ptxHash);
        get("matrix", r.matrixDigest);
        get("matrix_name", r.matrixName);
        get("task", r.task);
        get("dense_columns", r.denseColumns);
        get("device", r.device);
        get("simulated", r.simulated);
        std::vector<std::string> flags;
        get("flags", flags);
        r.flags = VerdictFlags(std::move(flags));
        get("message", r.message);
        get("log", r.log);
        get("line", r.line);
        get("battery_case", r.batteryCase);
        get("registers", r.registers);
        get("static_shared", r.staticShared);
        get("dynamic_shared", r.dynamicShared);
        get("local_bytes", r.localBytes);
        get("occupancy_limiter", r.occupancyLimiter);
        get("baseline", r.baselineName);
        get("baseline_algorithm", r.baselineAlgorithm);
        get("compulsory_bytes", r.compulsoryBytes);
        get("seed", r.seed);
        r.protocolVersion = 1; // Records of before it was written.
        get("protocol", r.protocolVersion);
        getNumber("occupancy", r.occupancy);
        getNumber("setup_us", r.setupMicroseconds);
        getNumber("baseline_us", r.baselineMicroseconds);
        getNumber("default_routine_us", r.defaultRoutineMicroseconds);
        getNumber("best_routine_us", r.bestRoutineMicroseconds);
        getNumber("share_of_limit", r.shareOfLimit);
        getNumber("judge_seconds", r.judgeSeconds);
        getNumber("bound_share", r.boundShare);
        if (json.contains("block"))
            r.block = jsonExact<std::array<std::int64_t, 3>>(json["block"]);
        if (json.contains("thread"))
            r.thread = jsonExact<std::array<std::int64_t, 3>>(json["thread"]);
        if (json.contains("wrong")) {
            const auto& w = json["wrong"];
            r.wrong = WrongElement{jsonExact<std::int64_t>(w.at("row")),
                                   jsonExact<std::int64_t>(w.at("column")), readNumber(w.at("expected")),
                                   readNumber(w.at("got")), readNumber(w.at("bound"))};
        }
        if (json.contains("warm"))
            r.warm = readTiming(json["warm"]);
        if (json.contains("cold"))
            r.cold = readTiming(json["cold"]);
        if (json.contains("lines"))
            r.lines = readLines(json["lines"]);
        return r;
    } catch (const nlohmann::json::exception& e) {
        return fail(std::string("a verdict record cannot be read: ") + e.what(),
                    "the journal may be damaged: run `sparserl project reindex`");
    }
}

} // namespace sparserl
