// SPDX-License-Identifier: Apache-2.0
#include "evaluation/judge/judge_pipeline.h"

#include "base/interruption.h"
#include "base/json.h"
#include "base/secret.h"
#include "base/time.h"
#include "evaluation/judge/near_duplicate.h"
#include "evaluation/runners/find_runner.h"
#include "evaluation/steps/controls.h"

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
constexpr std::int64_t maxTargetBytes = std::int64_t(2) << 30;
constexpr std::size_t maxTargets = 32; ///< Each holds up to forty files open.
constexpr rlim_t wantedFiles = 4096; ///< For contents in work beside those, and what they share with runners.

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

/// Why a plan is not for a target, if it is not.
std::optional<ProgramFailure> otherTask(const Plan& plan, const TargetVariant& variant)
{
    if (plan.task == variant.task() && plan.type == variant.type)
        return std::nullopt;
    const bool types = plan.task == variant.task();
    return ProgramFailure{Verdict::PlanError,
                          0,
                          fmt::format("the program is for {}, but {} was asked for",
                                      types ? nameOf(plan.type) : nameOf(plan.task),
                                      types ? nameOf(variant.type) : nameOf(variant.task())),
                          {}};
}

void applyBaseline(VerdictRecord& record, const Baseline& baseline)
{
    if (record.message.empty())
        record.message = baseline.problem;
    record.defaultRoutineMicroseconds = baseline.defaultMicroseconds;
    record.bestRoutineMicroseconds = baseline.bestMicroseconds;
    applyBaseline(record, baseline.name, baseline.algorithm,
                  record.baselineMicroseconds > 0 ? record.baselineMicroseconds // Measured in turn with it.
                                                  : baseline.microseconds);
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
                                                   const MakeDeviceJudge& makeDeviceJudge)
{
    SPARSERL_TRY(auto runner, findRunner(options.runnerPath));
    allowOpenFiles();
    std::unique_ptr<JudgePipeline> judge(new JudgePipeline(std::move(options)));
    const JudgeOptions& settings = judge->m_options;
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    PoolOptions poolOptions;
    poolOptions.runnerPath = std::move(runner);
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
    judge->m_background = std::make_unique<Background>(
        settings.backgroundThreads > 0 ? settings.backgroundThreads : std::max(2, cores / 2));
    judge->m_pool->wakeOn(judge->m_background->fd());
    judge->m_trials = std::make_unique<JobTrials>(*judge->m_pool, *judge);
    judge->m_controls[0] = compileControl(*judge->m_pool, settings);
    judge->m_programs =
        std::make_unique<ProgramStore>(*judge->m_trials, judge->m_controls[0], settings, gpus);
    judge->m_controls[1] = simulatorControl(*judge->m_pool, settings, *judge->m_programs);
    SPARSERL_TRY(judge->m_cases, AllCases::make(settings));
    judge->m_simulation = std::make_unique<Simulation>(*judge->m_trials, *judge->m_background, *judge,
                                                       judge->m_controls[1], settings);
    SPARSERL_TRY(judge->m_device, makeDeviceJudge({settings, judge->metrics(), *judge->m_pool,
                                                   *judge->m_background, *judge->m_trials, *judge->m_programs,
                                                   *judge->m_simulation, *judge->m_cases, *judge}));
    return std::unique_ptr<Judge>(std::move(judge));
}

void JudgePipeline::breakDown(Error error)
{
    if (!m_error)
        m_error = std::move(error);
}

void JudgePipeline::log(const std::string& sentence)
{
    if (m_options.log)
        m_options.log(sentence);
}

Result<std::vector<VerdictRecord>>
JudgePipeline::judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
                     const std::function<void(std::size_t, const VerdictRecord&)>& done)
{
    const double start = monotonicSeconds();
    m_error.reset();
    trimCaches();
    Delivery delivery{requests, done};
    std::list<Flow<>> work;
    try {
        workThrough(delivery, work, cancel);
    } catch (...) { // From `done`, or for lack of memory.
        giveUp(work);
        throw;
    }
    if (m_error)
        giveUp(work);
    const auto& cpu = m_pool->statistics().cpuSeconds;
    auto& spent = metrics();
    spent.wallSeconds += monotonicSeconds() - start;
    spent.compileCpuSeconds = cpu[static_cast<std::size_t>(RunnerRole::Compile)];
    spent.simCpuSeconds = cpu[static_cast<std::size_t>(RunnerRole::Sim)];
    spent.gpuCpuSeconds = cpu[static_cast<std::size_t>(RunnerRole::Cuda)];
    if (m_error)
        return fail(*m_error);
    return std::move(delivery.records);
}

void JudgePipeline::workThrough(Delivery& delivery, std::list<Flow<>>& work, const CancelToken& cancel)
{
    const std::size_t count = delivery.requests.size();
    while (delivery.finished < count && !m_error) {
        if (cancel.cancelled())
            return breakDown(interruption());
        while (delivery.begun < count && delivery.begun - delivery.finished < m_inFlight && !m_error)
            work.emplace_back(deliver(delivery.begun++, delivery)).start();
        work.remove_if([](const Flow<>& one) { return one.ended(); });
        if (delivery.finished == count || m_error)
            return;
        if (auto pumped = m_pool->pump(100); !pumped)
            return breakDown(pumped.error());
        m_background->deliver();
        trimTargets();
    }
}

/// Calls in the background refer to what their flows own, so they end first.
void JudgePipeline::giveUp(std::list<Flow<>>& work)
{
    m_background->drain();
    work.clear();
    abandon();
}

Flow<> JudgePipeline::deliver(std::size_t index, Delivery& to)
{
    to.records[index] = co_await judgeOne(to.requests[index], false);
    ++to.finished;
    if (to.done)
        to.done(index, to.records[index]);
}

Flow<VerdictRecord> JudgePipeline::judgeReference(TargetTask task, ProgramText program)
{
    JudgeRequest request = std::move(task.request);
    request.program = std::move(program);
    request.seed = 0; // The same time for every request on this matrix.
    request.lineCounters = false;
    request.measured = true;
    VerdictRecord record = co_await judgeOne(std::move(request), true);
    co_return std::move(record);
}

Flow<VerdictRecord> JudgePipeline::judgeOne(JudgeRequest request, bool isReference)
{
    const double started = unixSeconds();
    VerdictRecord record;
    record.programHash = request.program.hash();
    record.target = request.target.id;
    record.device = m_device->deviceName();
    record.simulated = m_device->simulated();
    record.seed = request.seed;
    TargetTask task;
    task.request = std::move(request);
    task.isReference = isReference;
    co_await judgeInto(record, task);
    record.judgeSeconds = unixSeconds() - started;
    co_return std::move(record);
}

/// Judging: compile, the battery on the simulated device, assemble, then the target itself. The first failure
/// is the verdict.
Flow<> JudgePipeline::judgeInto(VerdictRecord& record, TargetTask& task)
{
    const TargetVariant variant = task.target().variant;
    if (task.request.stoppedEarly) {
        record.verdict = Verdict::StoppedEarly;
        record.message = task.request.stopReason;
        co_return;
    }
    task.cases = co_await casesOf(task.request.target);
    record.compulsoryBytes = task.cases->workload(variant).compulsoryBytes();

    const auto program = m_programs->entry(task.request.program, task.isReference);
    const ProgramState& state = co_await program->compiled;
    task.program = std::shared_ptr<const ProgramState>(program, &state);
    if (state.failure)
        co_return applyFailure(record, *state.failure);
    record.ptxHash = state.compiled.ptxHash;
    record.log = state.compiled.log;
    if (const auto other = otherTask(state.program.plan, variant))
        co_return applyFailure(record, *other);

    // A GPU has nothing to do until the first program gets there: what programs are compared with is measured
    // meanwhile. On the simulated device that would be work for a matrix on which perhaps no program is
    // right.
    std::shared_ptr<SharedBaseline> baseline;
    if (!m_device->simulated() && !task.isReference)
        baseline = baselineOf(task);

    const BatteryState battery = co_await batteryOf(task, record.programHash);
    if (battery.failure)
        co_return applyFailure(record, *battery.failure);

    co_await m_programs->assemble(program);
    if (state.failure)
        co_return applyFailure(record, *state.failure);
    applyResources(record, state.compiled.resources);
    if (!task.isReference)
        baseline = baselineOf(task);

    const auto findings = co_await findingsOf(task, record.programHash);
    if (findings->failure)
        co_return applyFailure(record, *findings->failure);
    record.verdict = Verdict::Correct;
    if (findings->nondeterministic || battery.nondeterministic)
        record.flags.add(VerdictFlag::Nondeterministic);
    record.boundShare = std::max(findings->boundShare, battery.boundShare);
    if (!baseline)
        co_return m_device->apply(record, task, *findings);

    const Baseline& compared = co_await *baseline;
    const bool copied = co_await isCopied(state, variant);
    if (copied)
        record.flags.add(VerdictFlag::Copied);
    m_device->apply(record, task, *findings);
    applyBaseline(record, compared);
}

Flow<BatteryState> JudgePipeline::batteryOf(const TargetTask& task, const std::string& hash)
{
    const TargetVariant& variant = task.target().variant;
    const bool lines = task.request.lineCounters;
    for (std::string key = task.state().sameKey;; key = hash) {
        const auto shared =
            sharedAt(m_batteries, key + (lines ? "/lines/" : "/") + std::to_string(variant.columns));
        if (!shared->started()) {
            shared->owner = hash;
            ++metrics().simulated;
            shared->start(runBattery(task.program, variant, lines));
        }
        const BatteryState& found = co_await *shared;
        // A failure names lines, and those are each text's own.
        if (!found.failure || shared->owner == hash)
            co_return found;
    }
}

Flow<BatteryState> JudgePipeline::runBattery(std::shared_ptr<const ProgramState> program,
                                             TargetVariant variant, bool lineCounters)
{
    auto findings =
        co_await m_simulation->battery(*program, m_cases->of(variant.kind), variant, lineCounters);
    co_return {std::move(findings.failure), findings.nondeterministic, findings.boundShare};
}

/// A policy writes the same program again and again: equal programs, matrices and seeds give equal records.
/// Counters per line are each text's own.
Flow<std::shared_ptr<const TargetFindings>> JudgePipeline::findingsOf(TargetTask& task,
                                                                      const std::string& hash)
{
    const JudgeRequest& request = task.request;
    for (std::string key = request.lineCounters ? hash + "/lines" : task.state().sameKey;; key = hash) {
        const auto name =
            fmt::format("{}/{}/{}/{}", key, request.seed, task.target().key(), m_device->epoch(task));
        const auto unmeasured = name + "/unmeasured";
        // What is known already of a program that is to be measured now.
        std::shared_ptr<const TargetFindings> before;
        if (const auto found = m_runs.find(unmeasured); request.measured && found != m_runs.end() &&
                                                        found->second->value &&
                                                        !found->second->value->failure)
            before = std::shared_ptr<const TargetFindings>(found->second, &*found->second->value);
        task.checked = before != nullptr;
        const auto shared =
            sharedAt(m_runs, request.measured && !(before && before->hasTime()) ? name : unmeasured);
        if (!shared->started()) {
            shared->owner = hash;
            shared->start(runOnTarget(task, before));
        }
        const TargetFindings& found = co_await *shared;
        if (!found.failure || shared->owner == hash)
            co_return std::shared_ptr<const TargetFindings>(shared, &found);
    }
}

Flow<TargetFindings> JudgePipeline::runOnTarget(TargetTask task, std::shared_ptr<const TargetFindings> before)
{
    TargetFindings findings = co_await m_device->run(std::move(task));
    if (before) {
        findings.nondeterministic = findings.nondeterministic || before->nondeterministic;
        findings.boundShare = std::max(findings.boundShare, before->boundShare);
    }
    co_return std::move(findings);
}

std::shared_ptr<JudgePipeline::SharedBaseline> JudgePipeline::baselineOf(const TargetTask& task)
{
    auto shared = sharedAt(m_baselines, task.target().key() + "/" + m_device->epoch(task));
    if (!shared->started())
        shared->start(m_device->baseline(task));
    return shared;
}

/// Whether a program is nearly the reference program.
Flow<bool> JudgePipeline::isCopied(const ProgramState& state, TargetVariant variant)
{
    auto& texts = m_references[{variant.task(), variant.type}];
    if (texts[0].text().empty()) {
        texts[0] = m_cases->of(variant.kind).reference(variant).text;
        texts[1] = withLoopKept(texts[0]);
    }
    if (texts[0].text().empty())
        co_return false;
    const std::array references{m_programs->entry(texts[0], true), m_programs->entry(texts[1], true)};
    bool copied = false;
    for (const auto& reference : references) {
        const ProgramState& compiled = co_await reference->compiled;
        copied = copied || isCopy(state.compiled.traits.shape, compiled.compiled.traits.shape);
    }
    co_return copied;
}

Flow<std::shared_ptr<TargetCases>> JudgePipeline::casesOf(Target target)
{
    const std::string digest = m_cases->of(target.id.variant.kind).digestOf(target.id);
    const auto found = std::find_if(m_targets.begin(), m_targets.end(),
                                    [&](const auto& one) { return one.first == digest; });
    std::shared_ptr<SharedCases> shared;
    if (found != m_targets.end()) {
        shared = found->second;
        m_targets.erase(found);
    } else {
        shared = std::make_shared<SharedCases>();
    }
    m_targets.emplace_front(digest, shared);
    if (!shared->started())
        shared->start(makeCases(std::move(target)));
    const Result<std::shared_ptr<TargetCases>>& cases = co_await *shared;
    if (!cases)
        co_await broken(cases.error());
    co_return *cases;
}

Flow<Result<std::shared_ptr<TargetCases>>> JudgePipeline::makeCases(Target target)
{
    KindCases& kind = m_cases->of(target.id.variant.kind);
    auto making = [&]() -> Result<std::shared_ptr<TargetCases>> { return kind.make(target); };
    Result<std::shared_ptr<TargetCases>> made = co_await m_background->run(std::move(making));
    co_return made;
}

/// Not within a flow, because it destroys what flows have ended in. Tasks in work keep their cases alive.
void JudgePipeline::trimTargets()
{
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < m_targets.size();) {
        const auto& made = m_targets[i].second->value;
        bytes += made && *made ? (**made)->bytes() : 0;
        if (made && i > 0 && (bytes > maxTargetBytes || i >= maxTargets))
            m_targets.erase(m_targets.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    }
}

void JudgePipeline::abandon()
{
    m_pool->abandon();
    for (const auto& control : m_controls)
        control->abandon();
    m_device->abandon();
    m_programs->forgetUnfinished();
    const auto unfinished = [](const auto& entry) { return !entry.second->value; };
    std::erase_if(m_batteries, unfinished);
    std::erase_if(m_baselines, unfinished);
    std::erase_if(m_runs, unfinished);
    std::erase_if(m_targets, [](const auto& entry) { return !entry.second->value || !*entry.second->value; });
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
