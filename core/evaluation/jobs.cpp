// SPDX-License-Identifier: Apache-2.0
#include "evaluation/jobs.h"

#include <array>
#include <string_view>

namespace sparserl {

namespace {

using Json = nlohmann::json;

/// Runs `read` on a message; what it throws becomes a protocol error.
template <typename T, typename Read>
Result<T> guarded(Read&& read)
{
    try {
        return read();
    } catch (const Json::exception& e) {
        return fail(std::string("a message of a runner cannot be read: ") + e.what());
    }
}

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

Json countersJson(const LineCounters& counters)
{
    auto list = Json::array({counters.line});
    for (const auto field : counterFields)
        list.push_back(counters.*field);
    return list;
}

LineCounters readCounters(const Json& list)
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

/// An enumerator from another process, or an exception.
template <typename Enum>
Enum readEnum(const Json& json, Enum last)
{
    const int value = json.get<int>();
    if (value < 0 || value > static_cast<int>(last))
        throw Json::out_of_range::create(401, "unknown enumerator " + std::to_string(value), &json);
    return static_cast<Enum>(value);
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

Json launchJson(const LaunchReport& l)
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

LaunchReport readLaunch(const Json& json)
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

} // namespace

Json toJson(const CompileRequest& request)
{
    return {{"type", "compile"},
            {"code", request.code},
            {"defines", request.defines},
            {"kernels", request.kernels},
            {"architecture", request.architecture}};
}

Result<CompileRequest> compileRequestFromJson(const Json& json)
{
    return guarded<CompileRequest>([&] {
        CompileRequest request;
        json.at("code").get_to(request.code);
        json.at("defines").get_to(request.defines);
        json.at("kernels").get_to(request.kernels);
        json.at("architecture").get_to(request.architecture);
        return request;
    });
}

Json toJson(const tl::expected<CompiledProgram, CompileFailure>& answer)
{
    if (!answer)
        return {{"type", "refused"},
                {"kind", static_cast<int>(answer.error().kind)},
                {"line", answer.error().line},
                {"message", answer.error().message},
                {"log", answer.error().log}};
    return {{"type", "compiled"},
            {"ptx", answer->ptx},
            {"ptx_hash", answer->ptxHash},
            {"log", answer->log},
            {"resources", resourcesJson(answer->resources)}};
}

Result<tl::expected<CompiledProgram, CompileFailure>> compileAnswerFromJson(const Json& json)
{
    using Answer = tl::expected<CompiledProgram, CompileFailure>;
    return guarded<Answer>([&]() -> Result<Answer> {
        const auto type = json.at("type").get<std::string>();
        if (type == "refused") {
            CompileFailure failure;
            failure.kind = readEnum(json.at("kind"), CompileFailure::Kind::AssembleError);
            json.at("line").get_to(failure.line);
            json.at("message").get_to(failure.message);
            json.at("log").get_to(failure.log);
            return Answer(tl::unexpected(std::move(failure)));
        }
        if (type != "compiled")
            return fail("a runner answered with \"" + type + "\" where a compilation was asked for");
        CompiledProgram program;
        json.at("ptx").get_to(program.ptx);
        json.at("ptx_hash").get_to(program.ptxHash);
        json.at("log").get_to(program.log);
        program.resources = readResources(json.at("resources"));
        return Answer(std::move(program));
    });
}

Json toJson(const SimulationJob& job)
{
    auto cases = Json::array();
    for (const auto& c : job.cases)
        cases.push_back({{"matrix", c.matrix},
                         {"inputs", rangesJson(c.inputs)},
                         {"outputs", rangesJson(c.outputs)},
                         {"seed", c.seed},
                         {"checks", static_cast<int>(c.checks)},
                         {"steps", c.stepBudget},
                         {"lines", c.lineCounters}});
    return {{"type", "simulate"},       {"program", job.program},
            {"ptx", job.ptx},           {"resources", resourcesJson(job.resources)},
            {"model", job.model},       {"columns", job.denseColumns},
            {"drop", job.drop},         {"take", job.take},
            {"cases", std::move(cases)}};
}

Result<SimulationJob> simulationJobFromJson(const Json& json)
{
    return guarded<SimulationJob>([&] {
        SimulationJob job;
        json.at("program").get_to(job.program);
        json.at("ptx").get_to(job.ptx);
        job.resources = readResources(json.at("resources"));
        json.at("model").get_to(job.model);
        json.at("columns").get_to(job.denseColumns);
        json.at("drop").get_to(job.drop);
        json.at("take").get_to(job.take);
        for (const auto& c : json.at("cases")) {
            SimulationCase one;
            c.at("matrix").get_to(one.matrix);
            one.inputs = readRanges(c.at("inputs"));
            one.outputs = readRanges(c.at("outputs"));
            c.at("seed").get_to(one.seed);
            one.checks = readEnum(c.at("checks"), Checks::All);
            c.at("steps").get_to(one.stepBudget);
            c.at("lines").get_to(one.lineCounters);
            job.cases.push_back(std::move(one));
        }
        return job;
    });
}

Json toJson(const std::vector<CaseAnswer>& answers)
{
    auto cases = Json::array();
    for (const auto& a : answers) {
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
        cases.push_back(std::move(json));
    }
    return {{"type", "simulated"}, {"cases", std::move(cases)}};
}

Result<std::vector<CaseAnswer>> caseAnswersFromJson(const Json& json)
{
    return guarded<std::vector<CaseAnswer>>([&]() -> Result<std::vector<CaseAnswer>> {
        if (const auto type = json.at("type").get<std::string>(); type != "simulated")
            return fail("a runner answered with \"" + type + "\" where a simulation was asked for");
        std::vector<CaseAnswer> answers;
        for (const auto& c : json.at("cases")) {
            CaseAnswer a;
            c.at("warm").get_to(a.result.warmMicroseconds);
            c.at("cold").get_to(a.result.coldMicroseconds);
            c.at("setup").get_to(a.result.setupMicroseconds);
            c.at("setup_bytes").get_to(a.setupBytes);
            c.at("steps").get_to(a.result.steps);
            c.at("atomic_floats").get_to(a.result.atomicFloats);
            if (c.contains("bind")) {
                const auto& b = c["bind"];
                a.bind = BindFailure{readEnum(b.at("kind"), BindFailure::Kind::LaunchError),
                                     b.at("line").get<int>(), b.at("reason").get<std::string>()};
            }
            if (c.contains("fault"))
                a.fault = readFault(c["fault"]);
            for (const auto& l : c.at("launches"))
                a.result.launches.push_back(readLaunch(l));
            for (const auto& l : c.at("lines"))
                a.result.lines.push_back(readCounters(l));
            answers.push_back(std::move(a));
        }
        return answers;
    });
}

} // namespace sparserl
