// SPDX-License-Identifier: Apache-2.0
#include "evaluation/job_json.h"

#include <array>

namespace sparserl::job_json {

Json resourcesJson(const std::vector<KernelResources>& resources)
{
    auto list = Json::array();
    for (const auto& r : resources)
        list.push_back({{"kernel", r.kernel},
                        {"registers", r.registers},
                        {"shared", r.staticShared},
                        {"local", r.localBytes},
                        {"constant", r.constantBytes}});
    return list;
}

std::vector<KernelResources> readResources(const Json& list)
{
    std::vector<KernelResources> resources;
    for (const auto& r : list)
        resources.push_back({r.at("kernel").get<std::string>(), jsonExact<int>(r.at("registers")),
                             jsonExact<std::int64_t>(r.at("shared")), jsonExact<std::int64_t>(r.at("local")),
                             jsonExact<std::int64_t>(r.at("constant"))});
    return resources;
}

Json rangesJson(const std::vector<FloatRange>& ranges)
{
    auto list = Json::array();
    for (const auto& r : ranges)
        list.push_back({r.at, r.count});
    return list;
}

std::vector<FloatRange> readRanges(const Json& list)
{
    std::vector<FloatRange> ranges;
    for (const auto& r : list)
        ranges.push_back({jsonExact<std::uint64_t>(r.at(0)), jsonExact<std::uint64_t>(r.at(1))});
    return ranges;
}

constexpr std::array<std::int64_t LineCounters::*, 9> counterFields{
    &LineCounters::warpInstructions, &LineCounters::threadInstructions,
    &LineCounters::globalSectors,    &LineCounters::l1Hits,
    &LineCounters::l2Hits,           &LineCounters::dramSectors,
    &LineCounters::bankConflicts,    &LineCounters::atomics,
    &LineCounters::divergentBranches};

static Json countersJson(const LineCounters& counters)
{
    auto list = Json::array({counters.line});
    for (const auto field : counterFields)
        list.push_back(counters.*field);
    return list;
}

static LineCounters readCounters(const Json& list)
{
    LineCounters counters;
    counters.line = jsonExact<int>(list.at(0));
    for (std::size_t i = 0; i < counterFields.size(); ++i)
        counters.*counterFields[i] = jsonExact<std::int64_t>(list.at(i + 1));
    return counters;
}

Json faultJson(const Fault& fault)
{
    Json json = {{"kind", static_cast<int>(fault.kind)},
                 {"message", fault.message},
                 {"kernel", fault.kernel},
                 {"line", fault.line}};
    if (fault.block)
        json["block"] = *fault.block;
    if (fault.thread)
        json["thread"] = *fault.thread;
    return json;
}

Fault readFault(const Json& json)
{
    Fault fault;
    fault.kind = readEnum(json.at("kind"), FaultKind::Timeout);
    jsonExactTo(json.at("message"), fault.message);
    jsonExactTo(json.at("kernel"), fault.kernel);
    jsonExactTo(json.at("line"), fault.line);
    if (json.contains("block"))
        fault.block = jsonExact<std::array<std::int64_t, 3>>(json["block"]);
    if (json.contains("thread"))
        fault.thread = jsonExact<std::array<std::int64_t, 3>>(json["thread"]);
    return fault;
}

static Json launchJson(const LaunchReport& l)
{
    return {{"kernel", l.kernel},
            {"plan_line", l.planLine},
            {"prepare", l.prepare},
            {"skipped", l.skipped},
            {"blocks", l.blocks},
            {"threads", l.threadsPerBlock},
            {"total", countersJson(l.total)},
            {"distinct_sectors", l.distinctSectors},
            {"registers", l.registers},
            {"static_shared", l.staticShared},
            {"dynamic_shared", l.dynamicShared},
            {"local", l.localBytes},
            {"occupancy", l.occupancy.fraction},
            {"occupancy_blocks", l.occupancy.blocksPerSm},
            {"limiter", l.occupancy.limiter},
            {"warm", l.warmMicroseconds},
            {"cold", l.coldMicroseconds},
            {"bound_by", l.boundBy},
            {"imbalance", l.imbalance}};
}

static LaunchReport readLaunch(const Json& json)
{
    LaunchReport l;
    jsonExactTo(json.at("kernel"), l.kernel);
    jsonExactTo(json.at("plan_line"), l.planLine);
    jsonExactTo(json.at("prepare"), l.prepare);
    jsonExactTo(json.at("skipped"), l.skipped);
    jsonExactTo(json.at("blocks"), l.blocks);
    jsonExactTo(json.at("threads"), l.threadsPerBlock);
    l.total = readCounters(json.at("total"));
    jsonExactTo(json.at("distinct_sectors"), l.distinctSectors);
    jsonExactTo(json.at("registers"), l.registers);
    jsonExactTo(json.at("static_shared"), l.staticShared);
    jsonExactTo(json.at("dynamic_shared"), l.dynamicShared);
    jsonExactTo(json.at("local"), l.localBytes);
    jsonExactTo(json.at("occupancy"), l.occupancy.fraction);
    jsonExactTo(json.at("occupancy_blocks"), l.occupancy.blocksPerSm);
    jsonExactTo(json.at("limiter"), l.occupancy.limiter);
    jsonExactTo(json.at("warm"), l.warmMicroseconds);
    jsonExactTo(json.at("cold"), l.coldMicroseconds);
    jsonExactTo(json.at("bound_by"), l.boundBy);
    jsonExactTo(json.at("imbalance"), l.imbalance);
    return l;
}

Json answerJson(const CaseAnswer& a)
{
    Json json = {{"warm", a.result.warmMicroseconds},
                 {"cold", a.result.coldMicroseconds},
                 {"setup", a.result.setupMicroseconds},
                 {"setup_bytes", a.setupBytes},
                 {"steps", a.result.steps},
                 {"atomic_floats", a.result.atomicFloats}};
    if (a.bind)
        json["bind"] = {
            {"kind", static_cast<int>(a.bind->kind)}, {"line", a.bind->line}, {"reason", a.bind->reason}};
    if (a.fault)
        json["fault"] = faultJson(*a.fault);
    auto launches = Json::array(), lines = Json::array();
    for (const auto& l : a.result.launches)
        launches.push_back(launchJson(l));
    for (const auto& l : a.result.lines)
        lines.push_back(countersJson(l));
    json["launches"] = std::move(launches);
    json["lines"] = std::move(lines);
    return json;
}

CaseAnswer readAnswer(const Json& c)
{
    CaseAnswer a;
    jsonExactTo(c.at("warm"), a.result.warmMicroseconds);
    jsonExactTo(c.at("cold"), a.result.coldMicroseconds);
    jsonExactTo(c.at("setup"), a.result.setupMicroseconds);
    jsonExactTo(c.at("setup_bytes"), a.setupBytes);
    jsonExactTo(c.at("steps"), a.result.steps);
    jsonExactTo(c.at("atomic_floats"), a.result.atomicFloats);
    if (c.contains("bind")) {
        const auto& b = c["bind"];
        a.bind = BindFailure{readEnum(b.at("kind"), BindFailure::Kind::LaunchError),
                             jsonExact<int>(b.at("line")), b.at("reason").get<std::string>()};
    }
    if (c.contains("fault"))
        a.fault = readFault(c["fault"]);
    for (const auto& l : c.at("launches"))
        a.result.launches.push_back(readLaunch(l));
    for (const auto& l : c.at("lines"))
        a.result.lines.push_back(readCounters(l));
    return a;
}

} // namespace sparserl::job_json
