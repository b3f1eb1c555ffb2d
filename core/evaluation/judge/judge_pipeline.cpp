// SPDX-License-Identifier: Apache-2.0
#include "evaluation/judge/judge_pipeline.h"

#include "base/hash.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/secret.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "evaluation/judge/near_duplicate.h"
#include "evaluation/runners/find_runner.h"
#include "evaluation/stages/controls.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>
#include <system_error>
#include <thread>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// Requests in work at the same time: enough to keep every runner busy, few enough to bound the memory.
constexpr std::size_t maxInFlight = 32;
/// Programs that wait while one is in quarantine must not keep a GPU idle.
constexpr std::size_t maxInFlightOnGpus = 96;
constexpr std::size_t maxPrograms = 4096; ///< Answers of batteries are small: four times as many.
constexpr std::int64_t maxContextBytes = std::int64_t(2) << 30;
constexpr std::size_t maxContexts = 32; ///< Each holds up to forty files open.
constexpr rlim_t wantedFiles = 4096; ///< For matrices in work beside those, and what they share with runners.

/// As many open files as the system lets this process have, up to what judging wants: the usual limit of
/// 1,024 is soft.
void allowOpenFiles()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wantedFiles)
        return;
    limit.rlim_cur = std::min(wantedFiles, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

JudgePipeline::JudgePipeline(JudgeOptions options)
    : m_options(std::move(options))
    , m_inFlight(maxInFlight)
{
    if (!m_options.metrics)
        m_options.metrics = std::make_shared<JudgeMetrics>();
    if (!m_options.secretSeed)
        m_options.secretSeed = drawSecret();
}

JudgePipeline::~JudgePipeline() = default;

Result<std::unique_ptr<Judge>> JudgePipeline::make(JudgeOptions options, bool gpus,
                                                   const MakeStage& makeStage)
{
    SPARSERL_TRY(auto runner, findRunner(options.runnerPath));
    allowOpenFiles();
    std::unique_ptr<JudgePipeline> judge(new JudgePipeline(std::move(options)));
    const JudgeOptions& settings = judge->m_options;
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    PoolOptions poolOptions;
    poolOptions.runnerPath = runner;
    poolOptions.runners = {settings.compileRunners > 0 ? settings.compileRunners : std::max(2, cores / 2),
                           settings.simRunners > 0 ? settings.simRunners : cores};
    if (gpus)
        poolOptions.gpus = settings.gpus;
    poolOptions.requiredSandbox = settings.requiredSandbox;
    poolOptions.countRefusedCalls = settings.countRefusedCalls;
    poolOptions.log = settings.log;
    SPARSERL_TRY(auto pool, RunnerPool::start(std::move(poolOptions)));
    judge->m_pool = std::move(pool);
    if (gpus) {
        const auto info = gpuInfoFromJson(
            jsonValue<nlohmann::json>(judge->m_pool->readyMessage(RunnerRole::Cuda), "gpu", {}));
        if (!info)
            return fail("the cuda runner did not describe its GPU: " + info.error().what);
        judge->m_inFlight = maxInFlightOnGpus;
        judge->m_options.architecture = fmt::format("sm_{}{}", info->major, info->minor);
    }
    auto* const raw = judge.get();
    const auto breakDown = [raw](Error error) { raw->breakDown(std::move(error)); };
    judge->m_trials = std::make_unique<JobTrials>(*judge->m_pool, breakDown,
                                                  [raw](const std::string& sentence) { raw->log(sentence); });
    judge->m_controls = {
        compileControl(*judge->m_pool, settings),
        simulatorControl(*judge->m_pool, settings, [raw](const std::string& text, auto done) {
            raw->compileOwn(text, std::move(done));
        })};
    judge->m_programs =
        std::make_unique<ProgramStage>(*judge->m_trials, judge->m_controls[0], settings, gpus);
    SPARSERL_TRY(auto simulation,
                 Simulation::make(*judge->m_trials, judge->m_controls[1], settings, breakDown));
    judge->m_simulation = std::move(simulation);
    SPARSERL_TRY(auto stage, makeStage(judge->services()));
    judge->m_stage = std::move(stage);
    return std::unique_ptr<Judge>(std::move(judge));
}

StageServices JudgePipeline::services()
{
    return {m_options,
            metrics(),
            *m_pool,
            *m_trials,
            *m_simulation,
            [this](Error error) { breakDown(std::move(error)); },
            [this](const std::string& sentence) { log(sentence); },
            [this](const std::string& text, StageServices::OwnCompiled done) {
                compileOwn(text, std::move(done));
            },
            [this](const TargetTask& task, const std::string& program,
                   std::function<void(VerdictRecord)> finished) {
                judgeReference(task, program, std::move(finished));
            }};
}

Result<std::vector<VerdictRecord>>
JudgePipeline::judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
                     const std::function<void(std::size_t, const VerdictRecord&)>& done)
{
    const double start = monotonicSeconds();
    m_error.reset();
    trimCaches();
    std::vector<VerdictRecord> records(requests.size());
    std::size_t next = 0, finished = 0;
    while (finished < requests.size() && !m_error) {
        if (cancel.cancelled()) {
            breakDown(interruption());
            break;
        }
        while (next < requests.size() && next - finished < m_inFlight && !m_error) {
            auto judgement = std::make_shared<Judgement>();
            const std::size_t index = next++;
            judgement->target.request = requests[index];
            judgement->finished = [&records, &finished, &done, index](VerdictRecord record) {
                records[index] = std::move(record);
                ++finished;
                if (done)
                    done(index, records[index]);
            };
            begin(judgement);
        }
        if (finished == requests.size() || m_error)
            break;
        if (auto pumped = m_pool->pump(100); !pumped)
            breakDown(pumped.error());
    }
    const auto& cpu = m_pool->statistics().cpuSeconds;
    auto& spent = metrics();
    spent.wallSeconds += monotonicSeconds() - start;
    spent.compileCpuSeconds = cpu[static_cast<std::size_t>(RunnerRole::Compile)];
    spent.simCpuSeconds = cpu[static_cast<std::size_t>(RunnerRole::Sim)];
    spent.gpuCpuSeconds = cpu[static_cast<std::size_t>(RunnerRole::Cuda)];
    if (m_error) {
        m_pool->abandon();
        for (const auto& control : m_controls)
            control->abandon();
        m_stage->abandon();
        forgetUnfinished();
        return fail(*m_error);
    }
    return records;
}

void JudgePipeline::begin(const JudgementPtr& judgement)
{
    const JudgeRequest& request = judgement->target.request;
    VerdictRecord& record = judgement->record;
    judgement->started = unixSeconds();
    record.programHash = sha256Hex(request.program);
    record.target = request.target.id;
    record.device = m_stage->deviceName();
    record.simulated = m_stage->simulated();
    record.seed = request.seed;
    if (request.stoppedEarly) {
        record.verdict = Verdict::StoppedEarly;
        record.message = request.stopReason;
        finish(judgement);
        return;
    }
    auto context = targetContext(request.target);
    if (!context) {
        breakDown(context.error());
        return;
    }
    judgement->target.context = std::move(*context);
    record.compulsoryBytes = judgement->target.context->workload(request.target.id.variant).compulsoryBytes();

    judgement->program = m_programs->entry(request.program, judgement->target.isReference);
    judgement->target.program = judgement->program;
    judgement->program->then([this, judgement] { afterCompile(judgement); });
}

void JudgePipeline::compileOwn(const std::string& text,
                               std::function<void(std::shared_ptr<const Awaited<ProgramState>>)> done)
{
    const auto entry = m_programs->entry(text, true);
    entry->then([this, entry, done = std::move(done)] {
        m_programs->assemble(entry, [entry, done] { done(entry); });
    });
}

void JudgePipeline::afterCompile(const JudgementPtr& judgement)
{
    const ProgramState& state = *judgement->program->value;
    VerdictRecord& record = judgement->record;
    if (state.failure) {
        applyFailure(record, *state.failure);
        finish(judgement);
        return;
    }
    record.ptxHash = state.compiled.ptxHash;
    record.log = state.compiled.log;
    const Plan& plan = state.program.plan;
    const TargetVariant& variant = record.target.variant;
    if (plan.task != variant.task() || plan.type != variant.type) {
        const bool types = plan.task == variant.task();
        applyFailure(record, {Verdict::PlanError,
                              0,
                              fmt::format("the program is for {}, but {} was asked for",
                                          types ? nameOf(plan.type) : nameOf(plan.task),
                                          types ? nameOf(variant.type) : nameOf(variant.task())),
                              {}});
        finish(judgement);
        return;
    }
    // A GPU has nothing to do until the first program gets there: what programs are compared with is measured
    // meanwhile. On the simulated device that would be work for a matrix on which perhaps no program is
    // right.
    if (!m_stage->simulated() && !judgement->target.isReference)
        requestBaseline(judgement);
    useBattery(judgement, state.sameKey);
}

void JudgePipeline::useBattery(const JudgementPtr& judgement, const std::string& key)
{
    const bool lines = judgement->target.request.lineCounters;
    const TargetVariant& variant = judgement->record.target.variant;
    auto& entry = m_batteries[key + (lines ? "/lines/" : "/") + std::to_string(variant.columns)];
    if (!entry)
        entry = std::make_shared<BatteryEntry>();
    judgement->battery = entry;
    if (!entry->started) {
        entry->started = true;
        entry->owner = judgement->record.programHash;
        ++metrics().simulated;
        m_simulation->battery(
            *judgement->program->value, variant, judgement->target.request.lineCounters,
            [entry = judgement->battery](CaseFindings findings) {
                entry->set({std::move(findings.failure), findings.nondeterministic, findings.boundShare});
            });
    }
    judgement->battery->then([this, judgement] { afterBattery(judgement); });
}

void JudgePipeline::afterBattery(const JudgementPtr& judgement)
{
    const BatteryState& battery = *judgement->battery->value;
    if (battery.failure) {
        // A failure names lines, and those are each text's own.
        if (judgement->battery->owner != judgement->record.programHash)
            useBattery(judgement, judgement->record.programHash);
        else
            finishFailed(judgement, *battery.failure);
        return;
    }
    m_programs->assemble(judgement->program, [this, judgement] { afterAssembly(judgement); });
}

void JudgePipeline::afterAssembly(const JudgementPtr& judgement)
{
    const ProgramState& state = *judgement->program->value;
    if (state.failure) {
        applyFailure(judgement->record, *state.failure);
        finish(judgement);
        return;
    }
    applyResources(judgement->record, state.compiled.resources);
    if (!judgement->target.isReference)
        requestBaseline(judgement);
    // A policy writes the same program again and again: equal programs, matrices and seeds give equal
    // records. Counters per line are each text's own.
    useRun(judgement, judgement->target.request.lineCounters ? judgement->record.programHash + "/lines"
                                                             : judgement->program->value->sameKey);
}

void JudgePipeline::useRun(const JudgementPtr& judgement, const std::string& key)
{
    const JudgeRequest& request = judgement->target.request;
    const auto name = fmt::format("{}/{}/{}/{}", key, request.seed, request.target.id.key(),
                                  m_stage->epoch(judgement->target));
    const auto unmeasured = name + "/unmeasured";
    std::shared_ptr<RunEntry> before; // What is known already of a program that is to be measured now.
    if (const auto found = m_runs.find(unmeasured);
        request.measured && found != m_runs.end() && found->second->value && !found->second->value->failure)
        before = found->second;
    judgement->target.checked = before != nullptr;
    auto& entry = m_runs[request.measured && !(before && before->value->hasTime()) ? name : unmeasured];
    if (!entry)
        entry = std::make_shared<RunEntry>();
    judgement->run = entry;
    if (!entry->started) {
        entry->started = true;
        entry->owner = judgement->record.programHash;
        m_stage->run(judgement->target, [run = judgement->run, before](TargetFindings findings) {
            if (before) {
                findings.nondeterministic = findings.nondeterministic || before->value->nondeterministic;
                findings.boundShare = std::max(findings.boundShare, before->value->boundShare);
            }
            run->set(std::move(findings));
        });
    }
    judgement->run->then([this, judgement] { afterRun(judgement); });
}

void JudgePipeline::afterRun(const JudgementPtr& judgement)
{
    if (judgement->run->value->failure) {
        if (judgement->run->owner != judgement->record.programHash)
            useRun(judgement, judgement->record.programHash);
        else
            finishFailed(judgement, *judgement->run->value->failure);
        return;
    }
    if (judgement->target.isReference)
        finishCorrect(judgement);
    else
        judgement->baseline->then([this, judgement] { finishCorrect(judgement); });
}

void JudgePipeline::requestBaseline(const JudgementPtr& judgement)
{
    auto& entry = m_baselines[judgement->target.target().key() + "/" + m_stage->epoch(judgement->target)];
    if (!entry)
        entry = std::make_shared<BaselineEntry>();
    judgement->baseline = entry;
    if (entry->started)
        return;
    entry->started = true;
    m_stage->baseline(judgement->target,
                      [kept = judgement->baseline](Baseline baseline) { kept->set(std::move(baseline)); });
}

void JudgePipeline::judgeReference(const TargetTask& task, const std::string& program,
                                   std::function<void(VerdictRecord)> finished)
{
    auto reference = std::make_shared<Judgement>();
    reference->target.isReference = true;
    reference->target.request = task.request;
    reference->target.request.program = program;
    reference->target.request.seed = 0; // The same time for every request on this matrix.
    reference->target.request.lineCounters = false;
    reference->target.request.measured = true;
    reference->finished = std::move(finished);
    begin(reference);
}

void JudgePipeline::finishCorrect(const JudgementPtr& judgement)
{
    judgement->record.verdict = Verdict::Correct;
    if (judgement->run->value->nondeterministic || judgement->battery->value->nondeterministic)
        judgement->record.flags.add(VerdictFlag::Nondeterministic);
    judgement->record.boundShare =
        std::max(judgement->run->value->boundShare, judgement->battery->value->boundShare);
    const auto end = [this, judgement] {
        VerdictRecord& record = judgement->record;
        m_stage->apply(record, judgement->target, *judgement->run->value);
        if (judgement->baseline && judgement->baseline->value) {
            if (record.message.empty())
                record.message = judgement->baseline->value->problem;
            record.defaultRoutineMicroseconds = judgement->baseline->value->defaultMicroseconds;
            record.bestRoutineMicroseconds = judgement->baseline->value->bestMicroseconds;
            applyBaseline(record, judgement->baseline->value->name, judgement->baseline->value->algorithm,
                          record.baselineMicroseconds > 0
                              ? record.baselineMicroseconds // Measured in turn with it.
                              : judgement->baseline->value->microseconds);
        }
        finish(judgement);
    };
    if (judgement->target.isReference) {
        end();
        return;
    }
    const TargetVariant& variant = judgement->record.target.variant;
    auto& texts = m_references[{variant.task(), variant.type}];
    if (texts[0].empty()) {
        texts[0] = referenceProgram(variant.task(), variant.type).text;
        texts[1] = withLoopKept(texts[0]);
    }
    const std::array references{m_programs->entry(texts[0], true), m_programs->entry(texts[1], true)};
    references[0]->then([judgement, references, end] {
        references[1]->then([judgement, references, end] {
            const auto& shape = judgement->program->value->compiled.traits.shape;
            for (const auto& reference : references)
                if (isCopy(shape, reference->value->compiled.traits.shape))
                    judgement->record.flags.add(VerdictFlag::Copied);
            end();
        });
    });
}

void JudgePipeline::finishFailed(const JudgementPtr& judgement, const CaseFailure& failure)
{
    applyFailure(judgement->record, failure);
    finish(judgement);
}

void JudgePipeline::finish(const JudgementPtr& judgement)
{
    judgement->record.judgeSeconds = unixSeconds() - judgement->started;
    const auto finished = std::move(judgement->finished);
    finished(std::move(judgement->record));
}

Result<std::shared_ptr<TargetContext>> JudgePipeline::targetContext(const Target& target)
{
    const std::string digest = TargetContext::digestFor(target.id);
    const auto found = std::find_if(m_contexts.begin(), m_contexts.end(),
                                    [&](const auto& m) { return m->digest() == digest; });
    if (found != m_contexts.end()) {
        auto context = *found;
        m_contexts.erase(found);
        m_contexts.push_front(context);
        return context;
    }
    if (!target.matrix || target.id.contents.empty())
        return fail("a request names no matrix");
    auto context = TargetContext::make(target, m_options.secret(), m_options.everyKind);
    if (!context)
        return context;
    m_contexts.push_front(*context);
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < m_contexts.size(); ++i) {
        bytes += m_contexts[i]->bytes();
        if (i > 0 && (bytes > maxContextBytes || i >= maxContexts)) {
            m_contexts.resize(i); // Tasks in work keep theirs alive.
            break;
        }
    }
    return *context;
}

void JudgePipeline::forgetUnfinished()
{
    const auto unfinished = [](const auto& entry) {
        entry.second->abandon();
        return !entry.second->value;
    };
    m_programs->forgetUnfinished();
    std::erase_if(m_batteries, unfinished);
    std::erase_if(m_baselines, unfinished);
    std::erase_if(m_runs, unfinished);
}

void JudgePipeline::trimCaches()
{
    m_programs->trim(maxPrograms);
    if (m_batteries.size() > 4 * maxPrograms)
        m_batteries.clear();
    if (m_runs.size() > 16 * maxPrograms)
        m_runs.clear();
}

} // namespace sparserl
