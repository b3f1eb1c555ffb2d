// SPDX-License-Identifier: Apache-2.0
#include "evaluation/gpu_jobs.h"

#include "base/files.h"
#include "evaluation/job_json.h"

namespace sparserl {

using namespace job_json;

namespace {

Json timingJson(const Timing& timing)
{
    return {timing.median, timing.q25, timing.q75, timing.n};
}

Timing readTiming(const Json& json)
{
    return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>(),
            jsonExact<int>(json.at(3))};
}

Json casesJson(const std::vector<GpuCase>& cases)
{
    auto list = Json::array();
    for (const auto& c : cases)
        list.push_back({{"matrix", c.matrix},
                        {"from", c.inputsKey},
                        {"inputs", rangesJson(c.inputs)},
                        {"outputs", rangesJson(c.outputs)},
                        {"seed", c.seed}});
    return list;
}

std::vector<GpuCase> readCases(const Json& list)
{
    std::vector<GpuCase> cases;
    for (const auto& c : list)
        cases.push_back({c.at("matrix").get<std::string>(), c.at("from").get<std::string>(),
                         readRanges(c.at("inputs")), readRanges(c.at("outputs")),
                         jsonExact<std::uint64_t>(c.at("seed"))});
    return cases;
}

Json answersJson(const std::vector<CaseAnswer>& answers)
{
    auto list = Json::array();
    for (const auto& answer : answers)
        list.push_back(answerJson(answer));
    return list;
}

std::vector<CaseAnswer> readAnswers(const Json& list)
{
    std::vector<CaseAnswer> answers;
    for (const auto& answer : list)
        answers.push_back(readAnswer(answer));
    return answers;
}

Json measuredJson(const GpuMeasured& m)
{
    Json json = {{"warm", timingJson(m.warm)},      {"mean", m.meanMicroseconds},
                 {"setup", m.setupMicroseconds},    {"wall", m.wallMicroseconds},
                 {"measuring", m.measuringSeconds}, {"conversion", m.conversionSeconds},
                 {"clocks_agree", m.clocksAgree},   {"dropped", m.dropped}};
    if (m.fault)
        json["fault"] = faultJson(*m.fault);
    if (m.cold)
        json["cold"] = timingJson(*m.cold);
    if (m.inTurn)
        json["in_turn"] = {timingJson(m.inTurn->program), timingJson(m.inTurn->baseline)};
    auto occupancy = Json::array();
    for (const auto& o : m.occupancy)
        occupancy.push_back({o.blocksPerSm, o.fraction, o.limiter});
    json["occupancy"] = std::move(occupancy);
    return json;
}

GpuMeasured readMeasured(const Json& json)
{
    GpuMeasured m;
    m.warm = readTiming(json.at("warm"));
    jsonExactTo(json.at("mean"), m.meanMicroseconds);
    jsonExactTo(json.at("setup"), m.setupMicroseconds);
    jsonExactTo(json.at("wall"), m.wallMicroseconds);
    jsonExactTo(json.at("measuring"), m.measuringSeconds);
    jsonExactTo(json.at("conversion"), m.conversionSeconds);
    jsonExactTo(json.at("clocks_agree"), m.clocksAgree);
    jsonExactTo(json.at("dropped"), m.dropped);
    if (json.contains("fault"))
        m.fault = readFault(json["fault"]);
    if (json.contains("cold"))
        m.cold = readTiming(json["cold"]);
    if (json.contains("in_turn"))
        m.inTurn = GpuMeasured::InTurn{readTiming(json["in_turn"].at(0)), readTiming(json["in_turn"].at(1))};
    for (const auto& o : json.at("occupancy"))
        m.occupancy.push_back({jsonExact<int>(o.at(0)), o.at(1).get<double>(), o.at(2).get<std::string>()});
    return m;
}

} // namespace

Json toJson(const GpuJob& job)
{
    Json json = {{"type", "run"},
                 {"program", job.program},
                 {"ptx", job.ptx},
                 {"cubin", base64Encode(job.cubin)},
                 {"columns", job.denseColumns},
                 {"drop", job.drop},
                 {"take", job.take},
                 {"before", casesJson(job.before)},
                 {"after", casesJson(job.after)}};
    if (job.timing) {
        const GpuTiming& t = *job.timing;
        json["timing"] = {{"matrix", t.matrix},
                          {"from", t.inputsKey},
                          {"ring", rangesJson(t.ring)},
                          {"outputs", rangesJson(t.outputs)},
                          {"samples", t.samples},
                          {"sample_us", t.sampleMicroseconds},
                          {"cold", t.cold},
                          {"counters", t.counters},
                          {"limit_us", t.limitMicroseconds},
                          {"against", t.against},
                          {"drop_us", t.dropAbove},
                          {"mean_calls", t.meanCalls},
                          {"seed", t.seed}};
    }
    return json;
}

Result<GpuJob> gpuJobFromJson(const Json& json)
{
    return guarded<GpuJob>([&]() -> Result<GpuJob> {
        GpuJob job;
        jsonExactTo(json.at("program"), job.program);
        jsonExactTo(json.at("ptx"), job.ptx);
        SPARSERL_TRY(auto cubin, base64Decode(json.at("cubin").get_ref<const std::string&>()));
        job.cubin = std::move(cubin);
        jsonExactTo(json.at("columns"), job.denseColumns);
        jsonExactTo(json.at("drop"), job.drop);
        jsonExactTo(json.at("take"), job.take);
        job.before = readCases(json.at("before"));
        job.after = readCases(json.at("after"));
        if (json.contains("timing")) {
            const auto& t = json["timing"];
            GpuTiming timing;
            jsonExactTo(t.at("matrix"), timing.matrix);
            jsonExactTo(t.at("from"), timing.inputsKey);
            timing.ring = readRanges(t.at("ring"));
            timing.outputs = readRanges(t.at("outputs"));
            jsonExactTo(t.at("samples"), timing.samples);
            jsonExactTo(t.at("sample_us"), timing.sampleMicroseconds);
            jsonExactTo(t.at("cold"), timing.cold);
            jsonExactTo(t.at("counters"), timing.counters);
            jsonExactTo(t.at("limit_us"), timing.limitMicroseconds);
            jsonExactTo(t.at("drop_us"), timing.dropAbove);
            jsonExactTo(t.at("against"), timing.against);
            jsonExactTo(t.at("mean_calls"), timing.meanCalls);
            jsonExactTo(t.at("seed"), timing.seed);
            job.timing = std::move(timing);
        }
        return job;
    });
}

Json toJson(const GpuAnswer& answer)
{
    Json json = {{"type", "ran"},
                 {"before", answersJson(answer.before)},
                 {"after", answersJson(answer.after)},
                 {"poisoned", answer.poisoned},
                 {"busy", answer.busySeconds}};
    if (answer.timing)
        json["timing"] = measuredJson(*answer.timing);
    return json;
}

Result<GpuAnswer> gpuAnswerFromJson(const Json& json)
{
    return guarded<GpuAnswer>([&]() -> Result<GpuAnswer> {
        if (const auto type = json.at("type").get<std::string>(); type != "ran")
            return fail("a cuda runner answered with \"" + type + "\" where a run was asked for");
        GpuAnswer answer;
        answer.before = readAnswers(json.at("before"));
        answer.after = readAnswers(json.at("after"));
        jsonExactTo(json.at("poisoned"), answer.poisoned);
        jsonExactTo(json.at("busy"), answer.busySeconds);
        if (json.contains("timing"))
            answer.timing = readMeasured(json["timing"]);
        return answer;
    });
}

Json toJson(const BaselineJob& job)
{
    return {{"type", "baselines"},
            {"matrix", job.matrix},
            {"columns", job.denseColumns},
            {"set", static_cast<int>(job.set)},
            {"cold", job.cold},
            {"mean_calls", job.meanCalls},
            {"seed", job.seed},
            {"drop", job.drop},
            {"take", job.take}};
}

Result<BaselineJob> baselineJobFromJson(const Json& json)
{
    return guarded<BaselineJob>([&] {
        BaselineJob job;
        jsonExactTo(json.at("matrix"), job.matrix);
        jsonExactTo(json.at("columns"), job.denseColumns);
        job.set = readEnum(json.at("set"), BaselineSet::AllFormats);
        jsonExactTo(json.at("cold"), job.cold);
        jsonExactTo(json.at("mean_calls"), job.meanCalls);
        jsonExactTo(json.at("seed"), job.seed);
        jsonExactTo(json.at("drop"), job.drop);
        jsonExactTo(json.at("take"), job.take);
        return job;
    });
}

Json toJson(const BaselineAnswer& answer)
{
    auto list = Json::array();
    for (const auto& t : answer.timings) {
        Json one = {{"library", t.library},
                    {"algorithm", t.algorithm},
                    {"csr", t.csr},
                    {"warm", timingJson(t.warm)},
                    {"setup", t.setupMicroseconds}};
        if (t.cold)
            one["cold"] = timingJson(*t.cold);
        list.push_back(std::move(one));
    }
    return {{"type", "timed"}, {"timings", std::move(list)}, {"busy", answer.busySeconds}};
}

Result<BaselineAnswer> baselineAnswerFromJson(const Json& json)
{
    return guarded<BaselineAnswer>([&]() -> Result<BaselineAnswer> {
        if (const auto type = json.at("type").get<std::string>(); type != "timed")
            return fail("a cuda runner answered with \"" + type + "\" where baselines were asked for");
        BaselineAnswer answer;
        jsonExactTo(json.at("busy"), answer.busySeconds);
        for (const auto& one : json.at("timings")) {
            BaselineTiming t;
            jsonExactTo(one.at("library"), t.library);
            jsonExactTo(one.at("algorithm"), t.algorithm);
            jsonExactTo(one.at("csr"), t.csr);
            t.warm = readTiming(one.at("warm"));
            jsonExactTo(one.at("setup"), t.setupMicroseconds);
            if (one.contains("cold"))
                t.cold = readTiming(one["cold"]);
            answer.timings.push_back(std::move(t));
        }
        return answer;
    });
}

Json toJson(const GpuInfo& i)
{
    return {{"ordinal", i.ordinal},
            {"name", i.name},
            {"driver", i.driver},
            {"cuda", i.cudaVersion},
            {"major", i.major},
            {"minor", i.minor},
            {"sms", i.smCount},
            {"memory", i.memoryBytes},
            {"l2", i.l2Bytes},
            {"shared_sm", i.sharedPerSm},
            {"shared_block", i.maxSharedPerBlock},
            {"shared_optin", i.maxSharedOptinPerBlock},
            {"registers_sm", i.registersPerSm},
            {"threads_sm", i.maxThreadsPerSm},
            {"blocks_sm", i.maxBlocksPerSm},
            {"clock", i.clockGHz},
            {"memory_clock", i.memoryClockGHz},
            {"bus_bits", i.memoryBusBits}};
}

Result<GpuInfo> gpuInfoFromJson(const Json& json)
{
    return guarded<GpuInfo>([&] {
        GpuInfo i;
        jsonExactTo(json.at("ordinal"), i.ordinal);
        jsonExactTo(json.at("name"), i.name);
        jsonExactTo(json.at("driver"), i.driver);
        jsonExactTo(json.at("cuda"), i.cudaVersion);
        jsonExactTo(json.at("major"), i.major);
        jsonExactTo(json.at("minor"), i.minor);
        jsonExactTo(json.at("sms"), i.smCount);
        jsonExactTo(json.at("memory"), i.memoryBytes);
        jsonExactTo(json.at("l2"), i.l2Bytes);
        jsonExactTo(json.at("shared_sm"), i.sharedPerSm);
        jsonExactTo(json.at("shared_block"), i.maxSharedPerBlock);
        jsonExactTo(json.at("shared_optin"), i.maxSharedOptinPerBlock);
        jsonExactTo(json.at("registers_sm"), i.registersPerSm);
        jsonExactTo(json.at("threads_sm"), i.maxThreadsPerSm);
        jsonExactTo(json.at("blocks_sm"), i.maxBlocksPerSm);
        jsonExactTo(json.at("clock"), i.clockGHz);
        jsonExactTo(json.at("memory_clock"), i.memoryClockGHz);
        jsonExactTo(json.at("bus_bits"), i.memoryBusBits);
        return i;
    });
}

} // namespace sparserl
