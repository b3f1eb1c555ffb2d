// SPDX-License-Identifier: Apache-2.0
#include "runner/cuda_role.h"

#include "base/time.h"
#include "compile/gate.h"
#include "compile/nvjitlink.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/protocol/shared_buffer.h"
#include "kernel/plan.h"
#include "runner/call_ranges.h"
#include "runner/plan_check.h"
#include "runner/taken_contents.h"

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <variant>

namespace sparserl {

namespace {

/// Contents and what a program's plan makes of them.
struct Bound
{
    Contents contents;
    std::optional<BoundPlan> plan;
    std::optional<BindFailure> failure;
};

struct ProgramWork
{
    GpuJob job;
    std::vector<std::string_view> inputNames, outputNames; ///< Of the task of the program's plan.
    std::optional<SharedBuffer> memory;
    ptx::Module module;
    std::map<std::string, Bound> bound;
    std::map<std::string, std::shared_ptr<const SharedBuffer>> inputs;
};

struct BaselineWork
{
    BaselineJob job;
    Contents contents;
};

Result<std::vector<CallInputs>> inputsOf(const ProgramWork& work, const std::string& key,
                                         const std::vector<NumberRanges>& calls)
{
    std::vector<CallInputs> inputs;
    for (const NumberRanges& ranges : calls) {
        SPARSERL_TRY(auto one, inputsAt(*work.inputs.at(key), work.inputNames, ranges));
        inputs.push_back(std::move(one));
    }
    return inputs;
}

/// The paper's protocol: samples as long as they can be, as many as hold so many calls.
constexpr double longSample = 1e9; ///< Microseconds.
int samplesFor(int calls)
{
    constexpr int callsPerSample = 64;
    return (calls + callsPerSample - 1) / callsPerSample;
}

} // namespace

struct CudaRole::Work
{
    std::variant<ProgramWork, BaselineWork> what;
};

struct CudaRole::State
{
    explicit State(RunnerGpu& device)
        : gpu(device)
        , limits(device.info().limits())
        , architecture(device.info().architecture())
    {
    }

    RunnerGpu& gpu; ///< Used by `run` only.
    const DeviceLimits limits;
    const std::string architecture;
    // Used by `prepare` only.
    TakenContents contents;
    std::map<std::string, std::shared_ptr<const SharedBuffer>> inputs;
    std::optional<NvJitLink> assembler;

    Status take(const std::vector<std::string>& drop, const std::vector<std::string>& keys, Message& message,
                std::size_t firstFile);
    Result<std::shared_ptr<Work>> prepareProgram(Message message);
    Result<std::shared_ptr<Work>> prepareBaselines(Message message);
    Status bind(ProgramWork& work, const Plan& plan, const std::string& key);
    Status assemble(GpuJob& job);

    Result<GpuAnswer> run(ProgramWork& work);
    Result<CaseAnswer> runCase(ProgramWork& work, const GpuCase& one);
    Result<GpuMeasured> measure(ProgramWork& work, const GpuTiming& timing);
    Result<BaselineAnswer> run(const BaselineWork& work);
};

Status CudaRole::State::take(const std::vector<std::string>& drop, const std::vector<std::string>& keys,
                             Message& message, std::size_t firstFile)
{
    if (message.files.size() != keys.size() + firstFile)
        return fail("a GPU job came with the wrong number of files");
    for (const auto& key : drop) {
        contents.drop(key);
        inputs.erase(key);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        SPARSERL_TRY(auto shared, SharedBuffer::adoptSealed(std::move(message.files[i + firstFile])));
        if (keys[i].starts_with(inputsKeyPrefix)) {
            inputs[keys[i]] = std::make_shared<const SharedBuffer>(std::move(shared));
            continue;
        }
        SPARSERL_CHECK(contents.take(keys[i], shared));
    }
    return {};
}

Status CudaRole::State::assemble(GpuJob& job)
{
    if (!assembler) {
        SPARSERL_TRY(auto loaded, NvJitLink::load());
        assembler.emplace(std::move(loaded));
    }
    SPARSERL_TRY(auto assembled, assembler->assemble(job.ptx, architecture));
    if (!assembled.ok)
        return fail("PTX that the compile role assembled is refused here: " + assembled.log);
    job.cubin = std::move(assembled.cubin);
    return {};
}

Status CudaRole::State::bind(ProgramWork& work, const Plan& plan, const std::string& key)
{
    if (work.bound.contains(key))
        return {};
    const Contents* found = contents.find(key);
    if (!found)
        return fail("a GPU job names contents that were not sent");
    Bound bound;
    bound.contents = *found;
    try {
        auto made = bindPlan(plan, bound.contents, work.job.variant, limits);
        if (made)
            bound.plan.emplace(std::move(*made));
        else
            bound.failure = std::move(made.error());
    } catch (const std::bad_alloc&) {
        bound.failure = BindFailure{BindFailure::Kind::LaunchError, 0,
                                    "the host does not have enough memory for the formats", true};
    }
    if (bound.plan)
        bound.failure = checkCalls(*bound.plan, work.module);
    work.bound.emplace(key, std::move(bound));
    return {};
}

Result<std::shared_ptr<CudaRole::Work>> CudaRole::State::prepareProgram(Message message)
{
    ProgramWork work;
    SPARSERL_TRY(auto job, gpuJobFromJson(message.body));
    work.job = std::move(job);
    if (message.files.empty())
        return fail("a GPU job came without memory");
    SPARSERL_TRY(auto memory, SharedBuffer::adopt(std::move(message.files[0])));
    work.memory.emplace(std::move(memory));
    SPARSERL_CHECK(take(work.job.drop, work.job.take, message, 1));
    const auto program = parseProgram(work.job.program);
    if (!program)
        return fail("a GPU job came with a wrong plan: " + program.error().reason);
    SPARSERL_TRY(auto module, ptx::parse(work.job.ptx));
    // The PTX came through another process; what runs here has passed the gate here.
    if (const auto rejection = gate(module, {}))
        return fail("a GPU job came with PTX that does not pass the gate: " + rejection->reason);
    work.module = std::move(module);
    if (program->plan.task == Task::Operator)
        return fail("a cuda runner does not run programs for operators");
    work.inputNames = tensorNames(program->plan.task, TensorRole::Input);
    work.outputNames = tensorNames(program->plan.task, TensorRole::Output);
    if (work.job.cubin.empty())
        SPARSERL_CHECK(assemble(work.job));
    const auto need = [&](const std::string& name, const std::string& key) -> Status {
        const auto found = inputs.find(key);
        if (found == inputs.end())
            return fail("a GPU job names vectors that were not sent");
        work.inputs[key] = found->second;
        return bind(work, program->plan, name);
    };
    for (const auto* cases : {&work.job.before, &work.job.after})
        for (const auto& one : *cases)
            SPARSERL_CHECK(need(one.contents, one.inputsKey));
    if (work.job.timing)
        SPARSERL_CHECK(need(work.job.timing->contents, work.job.timing->inputsKey));
    return std::make_shared<Work>(Work{std::move(work)});
}

Result<std::shared_ptr<CudaRole::Work>> CudaRole::State::prepareBaselines(Message message)
{
    BaselineWork work;
    SPARSERL_TRY(auto job, baselineJobFromJson(message.body));
    work.job = std::move(job);
    SPARSERL_CHECK(take(work.job.drop, work.job.take, message, 0));
    const Contents* found = contents.find(work.job.contents);
    if (!found)
        return fail("a GPU job names contents that were not sent");
    if (!found->matrix)
        return fail("no library routine computes with contents of this kind");
    work.contents = *found;
    return std::make_shared<Work>(Work{std::move(work)});
}

Result<CaseAnswer> CudaRole::State::runCase(ProgramWork& work, const GpuCase& one)
{
    CaseAnswer answer;
    const Bound& bound = work.bound.at(one.contents);
    if (bound.failure) {
        answer.bind = bound.failure;
        return answer;
    }
    ExecutionRequest request;
    request.plan = &*bound.plan;
    request.module = &work.module;
    request.cubin = work.job.cubin;
    request.seed = one.seed;
    request.checks = Checks::None;
    request.limitSeconds = 1e-6 * work.job.limitMicroseconds;
    for (const CallRanges& call : one.calls) {
        SPARSERL_TRY(auto inputs, inputsAt(*work.inputs.at(one.inputsKey), work.inputNames, call.inputs));
        request.inputs.push_back(std::move(inputs));
        SPARSERL_TRY(const auto scaled, scaledCallAt(*work.memory, call));
        request.scaled.push_back(scaled);
    }
    SPARSERL_TRY(auto result, gpu.execute(request));
    if (!result.fault && result.outputs.size() != one.calls.size())
        return fail("the GPU gave " + std::to_string(result.outputs.size()) + " outputs for " +
                    std::to_string(one.calls.size()) + " inputs");
    SPARSERL_CHECK(putOutputs(*work.memory, work.outputNames, one.calls, result.outputs));
    answer.fault = result.fault;
    answer.setupBytes = bound.plan->setupBytes;
    result.outputs.clear();
    answer.result = std::move(result);
    return answer;
}

Result<GpuMeasured> CudaRole::State::measure(ProgramWork& work, const GpuTiming& timing)
{
    const Bound& bound = work.bound.at(timing.contents);
    if (!bound.contents.matrix)
        return fail("timed calls on contents of this kind cannot be compared on a GPU");
    MeasureRequest request;
    request.plan = &*bound.plan;
    request.module = &work.module;
    request.cubin = work.job.cubin;
    SPARSERL_TRY(auto ring, inputsOf(work, timing.inputsKey, timing.ring));
    request.ring = std::move(ring);
    request.samples = timing.samples;
    request.sampleMicroseconds = timing.sampleMicroseconds;
    request.cold = timing.cold;
    // Cold times stand beside; figures that count are timed in turn, and in full.
    request.coldSamples = timing.against.empty() ? timing.samples / 6 : 0;
    request.counters = timing.counters;
    request.limitMicroseconds = work.job.limitMicroseconds;
    request.dropAbove = timing.dropAbove;
    request.seed = timing.seed;
    if (timing.underflow > 0)
        request.compare = CompareRequest{bound.contents.matrix, work.job.variant.columns, timing.underflow};
    SPARSERL_TRY(auto measured, gpu.measure(request));
    GpuMeasured out;
    out.fault = measured.fault;
    out.warm = measured.warm;
    out.cold = measured.cold;
    out.setupMicroseconds = measured.setupMicroseconds;
    out.wallMicroseconds = measured.wallMicroseconds;
    out.measuringSeconds = measured.measuringSeconds;
    out.conversionSeconds = bound.plan->conversionSeconds;
    out.clocksAgree = measured.clocksAgree;
    out.dropped = measured.dropped;
    out.occupancy = std::move(measured.occupancy);
    const auto add = [&out](const ComparedCalls& more) {
        out.compared.calls += more.calls;
        out.compared.elements += more.elements;
        out.compared.boundShare = std::max(out.compared.boundShare, more.boundShare);
        if (!out.compared.wrong)
            out.compared.wrong = more.wrong;
    };
    add(measured.compared);
    if (out.dropped)
        return out;
    if (!out.fault && !out.compared.wrong && !timing.against.empty()) {
        BaselineTiming routine;
        routine.algorithm = timing.against;
        const double begin = monotonicSeconds();
        SPARSERL_TRY(auto both,
                     gpu.headToHead(request, *bound.contents.matrix, work.job.variant.columns, routine));
        out.fault = both.fault;
        add(both.compared);
        out.inTurn = GpuMeasured::InTurn{both.program, both.baseline};
        out.measuringSeconds += monotonicSeconds() - begin;
    }
    if (!out.fault && !out.compared.wrong && timing.meanCalls > 0 && out.warm.median > 0) {
        request.mean = true;
        request.samples = samplesFor(timing.meanCalls);
        request.sampleMicroseconds = longSample;
        request.cold = false;
        SPARSERL_TRY(const auto mean, gpu.measure(request));
        out.fault = mean.fault;
        add(mean.compared);
        out.meanMicroseconds = mean.warm.median;
        out.measuringSeconds += mean.measuringSeconds;
    }
    return out;
}

Result<GpuAnswer> CudaRole::State::run(ProgramWork& work)
{
    const double start = monotonicSeconds();
    GpuAnswer answer;
    const auto end = [&] {
        answer.poisoned = gpu.poisoned();
        answer.busySeconds = monotonicSeconds() - start;
        return answer;
    };
    const auto runAll = [&](const std::vector<GpuCase>& cases,
                            std::vector<CaseAnswer>& answers) -> Result<bool> {
        for (const auto& one : cases) {
            SPARSERL_TRY(auto found, runCase(work, one));
            answers.push_back(std::move(found));
            const CaseAnswer& last = answers.back();
            if (last.fault || (last.bind && !one.mayNotBind))
                return false;
        }
        return true;
    };
    auto good = runAll(work.job.before, answer.before);
    if (!good)
        return fail(good.error());
    if (!*good)
        return end();
    if (work.job.timing) {
        const Bound& bound = work.bound.at(work.job.timing->contents);
        if (bound.failure)
            return fail("a GPU job times a program that does not bind: " + bound.failure->reason);
        SPARSERL_TRY(auto measured, measure(work, *work.job.timing));
        answer.timing = std::move(measured);
        if (answer.timing->fault)
            return end();
    }
    good = runAll(work.job.after, answer.after);
    if (!good)
        return fail(good.error());
    return end();
}

Result<BaselineAnswer> CudaRole::State::run(const BaselineWork& work)
{
    const double start = monotonicSeconds();
    BaselineOptions options;
    options.set = work.job.set;
    options.cold = work.job.cold;
    options.seed = work.job.seed;
    BaselineAnswer answer;
    auto timings = gpu.measureBaselines(*work.contents.matrix, work.job.variant.columns, options);
    if (!timings)
        return fail(timings.error());
    if (work.job.meanCalls > 0 && !timings->empty()) {
        options.mean = true;
        options.samples = samplesFor(work.job.meanCalls);
        options.sampleMicroseconds = longSample;
        options.cold = false;
        timings = gpu.measureBaselines(*work.contents.matrix, work.job.variant.columns, options);
        if (!timings)
            return fail(timings.error());
    }
    answer.timings = std::move(*timings);
    answer.busySeconds = monotonicSeconds() - start;
    return answer;
}

CudaRole::CudaRole(RunnerGpu& gpu)
    : m_state(std::make_unique<State>(gpu))
{
}

CudaRole::~CudaRole() = default;

Result<std::shared_ptr<CudaRole::Work>> CudaRole::prepare(Message message)
{
    const auto type = message.body["type"].get<std::string>();
    if (type == "run")
        return m_state->prepareProgram(std::move(message));
    if (type == "baselines")
        return m_state->prepareBaselines(std::move(message));
    return fail("a cuda runner cannot do \"" + type + "\"");
}

Result<nlohmann::json> CudaRole::run(Work& work)
{
    if (auto* program = std::get_if<ProgramWork>(&work.what)) {
        SPARSERL_TRY(const auto answer, m_state->run(*program));
        return toJson(answer);
    }
    SPARSERL_TRY(const auto answer, m_state->run(std::get<BaselineWork>(work.what)));
    return toJson(answer);
}

} // namespace sparserl
