// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "target/target_fields.h"
#include "verdict/record.h"

namespace sparserl {

inline std::optional<Verdict> enumFromName(std::string_view name, Verdict)
{
    return verdictFromName(name);
}

template <>
struct FieldCodec<VerdictFlags>
{
    static nlohmann::json write(const VerdictFlags& flags) { return flags.names(); }
    static void read(const nlohmann::json& json, VerdictFlags& flags, Reading)
    {
        flags = VerdictFlags(jsonExact<std::vector<std::string>>(json));
    }
};

template <>
struct Fields<Timing>
{
    static constexpr bool whole = true;
    static void of(auto& r, auto& field)
    {
        field("median", r.median);
        field("q25", r.q25);
        field("q75", r.q75);
        field("n", r.n);
    }
};

template <>
struct Fields<WrongElement>
{
    static constexpr bool whole = true;
    static void of(auto& r, auto& field)
    {
        field("row", r.row);
        field("column", r.column);
        field("expected", r.expected);
        field("got", r.got);
        field("bound", r.bound);
        field("output", r.output);
    }
};

template <>
struct Fields<LineCounters>
{
    static void of(auto& r, auto& field)
    {
        field("line", r.line);
        field("warp_instructions", r.warpInstructions);
        field("thread_instructions", r.threadInstructions);
        field("global_sectors", r.globalSectors);
        field("l1_hits", r.l1Hits);
        field("l2_hits", r.l2Hits);
        field("dram_sectors", r.dramSectors);
        field("bank_conflicts", r.bankConflicts);
        field("atomics", r.atomics);
        field("divergent_branches", r.divergentBranches);
    }
};

/// Represents a list as a table: {"columns": keys, "rows": values}. The record of a pinned program has
/// counters for hundreds of lines. If every value had a key, keys would make up most of the text.
template <typename T>
struct AsTable
{
    T& value;
};
template <typename T>
AsTable(T&) -> AsTable<T>;

template <typename T>
struct FieldCodec<AsTable<T>>
{
    using Row = typename std::remove_cv_t<T>::value_type;
    static nlohmann::json write(AsTable<T> table)
    {
        auto columns = nlohmann::json::array();
        const auto key = [&](const char* name, const auto&) { columns.push_back(name); };
        const Row any{};
        Fields<Row>::of(any, key);
        return {{"columns", std::move(columns)}, {"rows", fieldToJson(AsRow{table.value})}};
    }
    static void read(const nlohmann::json& json, AsTable<T> table, Reading reading)
    {
        FieldCodec<AsRow<T>>::read(json.at("rows"), AsRow{table.value}, reading);
    }
};

/// The fields of a verdict record (docs/formats.md 2).
template <>
struct Fields<VerdictRecord>
{
    static void of(auto& r, auto& field)
    {
        field("program", r.programHash);
        field("ptx", r.ptxHash);
        Fields<TargetId>::of(r.target, field, true);
        field("device", r.device);
        field("simulated", r.simulated);
        field("verdict", r.verdict, requiredField());
        field("flags", r.flags);
        field("message", r.message, writtenIf(!r.message.empty()));
        field("log", r.log, writtenIf(!r.log.empty()));
        field("line", r.line, writtenIf(r.line != 0));
        field("block", r.block);
        field("thread", r.thread);
        field("battery_case", r.batteryCase, writtenIf(!r.batteryCase.empty()));
        field("wrong", r.wrong);
        field("bound_share", r.boundShare, writtenIf(r.boundShare > 0));
        field("registers", r.registers);
        field("static_shared", r.staticShared);
        field("dynamic_shared", r.dynamicShared);
        field("local_bytes", r.localBytes);
        field("occupancy", r.occupancy);
        field("occupancy_limiter", r.occupancyLimiter, writtenIf(!r.occupancyLimiter.empty()));
        field("warm", r.warm);
        field("cold", r.cold);
        field("predicted_us", r.predictedMicroseconds, writtenIf(r.predictedMicroseconds > 0));
        field("predicted_from", r.predictedFrom, writtenIf(!r.predictedFrom.empty()));
        field("setup_us", r.setupMicroseconds);
        field("baseline", r.baselineName, writtenIf(!r.baselineName.empty()));
        field("baseline_algorithm", r.baselineAlgorithm, writtenIf(!r.baselineAlgorithm.empty()));
        field("baseline_us", r.baselineMicroseconds);
        field("default_routine_us", r.defaultRoutineMicroseconds,
              writtenIf(r.defaultRoutineMicroseconds > 0));
        field("best_routine_us", r.bestRoutineMicroseconds, writtenIf(r.bestRoutineMicroseconds > 0));
        field.derived("speedup", r.speedup());
        field("compulsory_bytes", r.compulsoryBytes);
        field("share_of_limit", r.shareOfLimit);
        field("lines", AsTable{r.lines}, writtenIf(!r.lines.empty()));
        field("ptx_lines", AsTable{r.ptxLines}, writtenIf(!r.ptxLines.empty()));
        field("seed", r.seed);
        field("protocol", r.protocolVersion);
        field("judge_seconds", r.judgeSeconds);
    }
};

} // namespace sparserl
