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
        resources.push_back({r.at("kernel").get<std::string>(), r.at("registers").get<int>(),
                             r.at("shared").get<std::int64_t>(), r.at("local").get<std::int64_t>(),
                             r.at("constant").get<std::int64_t>()});
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
        ranges.push_back({r.at(0).get<std::uint64_t>(), r.at(1).get<std::uint64_t>()});
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
    counters.line = list.at(0).get<int>();
    for (std::size_t i = 0; i < counterFields.size(); ++i)
        counters.*counterFields[i] = list.at(i + 1).get<std::int64_t>();
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
    json.at("message").get_to(fault.message);
    json.at("kernel").get_to(fault.kernel);
    json.at("line").get_to(fault.line);
    if (json.contains("block"))
        fault.block = json["block"].get<std::array<std::int64_t, 3>>();
    if (json.contains("thread"))
        fault.thread = json["thread"].get<std::array<std::int64_t, 3>>();
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
    json.at("kernel").get_to(l.kernel);
    json.at("plan_line").get_to(l.planLine);
    json.at("prepare").get_to(l.prepare);
    json.at("skipped").get_to(l.skipped);
    json.at("blocks").get_to(l.blocks);
    json.at("threads").get_to(l.threadsPerBlock);
    l.total = readCounters(json.at("total"));
    json.at("distinct_sectors").get_to(l.distinctSectors);
    json.at("registers").get_to(l.registers);
    json.at("static_shared").get_to(l.staticShared);
    json.at("dynamic_shared").get_to(l.dynamicShared);
    json.at("local").get_to(l.localBytes);
    json.at("occupancy").get_to(l.occupancy.fraction);
    json.at("occupancy_blocks").get_to(l.occupancy.blocksPerSm);
    json.at("limiter").get_to(l.occupancy.limiter);
    json.at("warm").get_to(l.warmMicroseconds);
    json.at("cold").get_to(l.coldMicroseconds);
    json.at("bound_by").get_to(l.boundBy);
    json.at("imbalance").get_to(l.imbalance);
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
    c.at("warm").get_to(a.result.warmMicroseconds);
    c.at("cold").get_to(a.result.coldMicroseconds);
    c.at("setup").get_to(a.result.setupMicroseconds);
    c.at("setup_bytes").get_to(a.setupBytes);
    c.at("steps").get_to(a.result.steps);
    c.at("atomic_floats").get_to(a.result.atomicFloats);
    if (c.contains("bind")) {
        const auto& b = c["bind"];
        a.bind = BindFailure{readEnum(b.at("kind"), BindFailure::Kind::LaunchError), b.at("line").get<int>(),
                             b.at("reason").get<std::string>()};
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
