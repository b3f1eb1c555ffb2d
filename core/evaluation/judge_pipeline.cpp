// SPDX-License-Identifier: Apache-2.0
#include "evaluation/judge_pipeline.h"

#include "base/hash.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "evaluation/controls.h"
#include "evaluation/find_runner.h"
#include "evaluation/near_duplicate.h"

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
constexpr std::int64_t maxMatrixBytes = std::int64_t(2) << 30;
constexpr std::size_t maxMatrices = 32; ///< Each holds up to ten files open.
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
    judge->m_references = {referenceProgram(sparserl::Task::SpMV).text,
                           referenceProgram(sparserl::Task::SpMM).text};
    SPARSERL_TRY(auto stage, makeStage(*judge));
    judge->m_stage = std::move(stage);
    return std::unique_ptr<Judge>(std::move(judge));
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
            auto task = std::make_shared<Task>();
            const std::size_t index = next++;
            task->target.request = requests[index];
            task->finished = [&records, &finished, &done, index](VerdictRecord record) {
                records[index] = std::move(record);
                ++finished;
                if (done)
                    done(index, records[index]);
            };
            begin(task);
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

void JudgePipeline::begin(const TaskPtr& task)
{
    const JudgeRequest& request = task->target.request;
    VerdictRecord& record = task->record;
    task->started = unixSeconds();
    record.programHash = sha256Hex(request.program);
    record.matrixDigest = request.matrixDigest;
    record.matrixName = request.matrixName;
    record.denseColumns = request.denseColumns;
    record.task = nameOf(request.denseColumns > 1 ? sparserl::Task::SpMM : sparserl::Task::SpMV);
    record.device = m_stage->deviceName();
    record.simulated = m_stage->simulated();
    record.seed = request.seed;
    if (request.stoppedEarly) {
        record.verdict = Verdict::StoppedEarly;
        record.message = request.stopReason;
        finish(task);
        return;
    }
    auto matrix = matrixContext(request);
    if (!matrix) {
        breakDown(matrix.error());
        return;
    }
    task->target.matrix = std::move(*matrix);
    record.compulsoryBytes = task->target.matrix->compulsoryBytes(request.denseColumns);

    task->program = m_programs->entry(request.program);
    task->target.program = task->program;
    task->program->then([this, task] { afterCompile(task); });
}

void JudgePipeline::compileOwn(const std::string& text,
                               std::function<void(std::shared_ptr<const Awaited<ProgramState>>)> done)
{
    const auto entry = m_programs->entry(text);
    entry->then([this, entry, done = std::move(done)] {
        m_programs->assemble(entry, [entry, done] { done(entry); });
    });
}

void JudgePipeline::afterCompile(const TaskPtr& task)
{
    const ProgramState& state = *task->program->value;
    VerdictRecord& record = task->record;
    if (state.failure) {
        applyFailure(record, *state.failure);
        finish(task);
        return;
    }
    record.ptxHash = state.compiled.ptxHash;
    record.log = state.compiled.log;
    const bool spmm = state.program.plan.task == sparserl::Task::SpMM;
    if (spmm != (task->target.request.denseColumns > 1)) {
        applyFailure(record, {Verdict::PlanError,
                              0,
                              "the program is for " + std::string(nameOf(state.program.plan.task)) +
                                  ", but " + record.task + " was asked for",
                              {}});
        finish(task);
        return;
    }
    useBattery(task, state.sameKey);
}

void JudgePipeline::useBattery(const TaskPtr& task, const std::string& key)
{
    auto& entry = m_batteries[key + "/" + std::to_string(task->target.request.denseColumns)];
    if (!entry)
        entry = std::make_shared<BatteryEntry>();
    task->battery = entry;
    if (!entry->started) {
        entry->started = true;
        entry->owner = task->record.programHash;
        ++metrics().simulated;
        m_simulation->battery(
            *task->program->value, task->target.request.denseColumns,
            [entry = task->battery](CaseFindings findings) {
                entry->set({std::move(findings.failure), findings.nondeterministic, findings.boundShare});
            });
    }
    task->battery->then([this, task] { afterBattery(task); });
}

void JudgePipeline::afterBattery(const TaskPtr& task)
{
    const BatteryState& battery = *task->battery->value;
    if (battery.failure) {
        // A failure names lines, and those are each text's own.
        if (task->battery->owner != task->record.programHash)
            useBattery(task, task->record.programHash);
        else
            finishFailed(task, *battery.failure);
        return;
    }
    m_programs->assemble(task->program, [this, task] { afterAssembly(task); });
}

void JudgePipeline::afterAssembly(const TaskPtr& task)
{
    const ProgramState& state = *task->program->value;
    if (state.failure) {
        applyFailure(task->record, *state.failure);
        finish(task);
        return;
    }
    applyResources(task->record, state.compiled.resources);
    if (!task->target.isReference)
        requestBaseline(task);
    // A policy writes the same program again and again: equal programs, matrices and seeds give equal
    // records. Counters per line are each text's own.
    useRun(task, task->target.request.lineCounters ? task->record.programHash + "/lines"
                                                   : task->program->value->sameKey);
}

void JudgePipeline::useRun(const TaskPtr& task, const std::string& key)
{
    const JudgeRequest& request = task->target.request;
    auto& entry = m_runs[fmt::format("{}/{}/{}/{}/{}", key, request.denseColumns, request.seed,
                                     request.matrixDigest, m_stage->epoch(task->target))];
    if (!entry)
        entry = std::make_shared<RunEntry>();
    task->run = entry;
    if (!entry->started) {
        entry->started = true;
        entry->owner = task->record.programHash;
        m_stage->run(task->target,
                     [run = task->run](TargetFindings findings) { run->set(std::move(findings)); });
    }
    task->run->then([this, task] { afterRun(task); });
}

void JudgePipeline::afterRun(const TaskPtr& task)
{
    if (task->run->value->failure) {
        if (task->run->owner != task->record.programHash)
            useRun(task, task->record.programHash);
        else
            finishFailed(task, *task->run->value->failure);
        return;
    }
    if (task->target.isReference)
        finishCorrect(task);
    else
        task->baseline->then([this, task] { finishCorrect(task); });
}

void JudgePipeline::requestBaseline(const TaskPtr& task)
{
    auto& entry = m_baselines[{task->target.matrix->digest() + "/" + m_stage->epoch(task->target),
                               task->target.request.denseColumns}];
    if (!entry)
        entry = std::make_shared<BaselineEntry>();
    task->baseline = entry;
    if (entry->started)
        return;
    entry->started = true;
    m_stage->baseline(task->target,
                      [kept = task->baseline](Baseline baseline) { kept->set(std::move(baseline)); });
}

void JudgePipeline::judgeReference(const TargetTask& task, const std::string& program,
                                   std::function<void(VerdictRecord)> finished)
{
    auto reference = std::make_shared<Task>();
    reference->target.isReference = true;
    reference->target.request = task.request;
    reference->target.request.program = program;
    reference->target.request.seed = 0; // The same time for every request on this matrix.
    reference->target.request.lineCounters = false;
    reference->finished = std::move(finished);
    begin(reference);
}

void JudgePipeline::finishCorrect(const TaskPtr& task)
{
    task->record.verdict = Verdict::Correct;
    if (task->run->value->nondeterministic || task->battery->value->nondeterministic)
        task->record.flags.emplace_back("nondeterministic");
    task->record.boundShare = std::max(task->run->value->boundShare, task->battery->value->boundShare);
    const auto end = [this, task] {
        VerdictRecord& record = task->record;
        m_stage->apply(record, task->target, *task->run->value);
        if (task->baseline && task->baseline->value) {
            record.defaultRoutineMicroseconds = task->baseline->value->defaultMicroseconds;
            record.bestRoutineMicroseconds = task->baseline->value->bestMicroseconds;
            applyBaseline(record, task->baseline->value->name, task->baseline->value->algorithm,
                          record.baselineMicroseconds > 0
                              ? record.baselineMicroseconds // Measured in turn with it.
                              : task->baseline->value->microseconds);
        }
        finish(task);
    };
    if (task->target.isReference) {
        end();
        return;
    }
    const auto reference = m_programs->entry(m_references[task->target.request.denseColumns > 1 ? 1 : 0]);
    reference->then([task, reference, end] {
        if (similarity(task->program->value->compiled.traits.shape,
                       reference->value->compiled.traits.shape) >= copiedSimilarity)
            task->record.flags.emplace_back("copied");
        end();
    });
}

void JudgePipeline::finishFailed(const TaskPtr& task, const CaseFailure& failure)
{
    applyFailure(task->record, failure);
    finish(task);
}

void JudgePipeline::finish(const TaskPtr& task)
{
    task->record.judgeSeconds = unixSeconds() - task->started;
    const auto finished = std::move(task->finished);
    finished(std::move(task->record));
}

Result<std::shared_ptr<MatrixContext>> JudgePipeline::matrixContext(const JudgeRequest& request)
{
    const auto found = std::find_if(m_matrices.begin(), m_matrices.end(),
                                    [&](const auto& m) { return m->digest() == request.matrixDigest; });
    if (found != m_matrices.end()) {
        auto context = *found;
        m_matrices.erase(found);
        m_matrices.push_front(context);
        return context;
    }
    if (!request.matrix || request.matrixDigest.empty())
        return fail("a request names no matrix");
    auto context = MatrixContext::make(request.matrix, request.matrixDigest, m_options.secretSeed);
    if (!context)
        return context;
    m_matrices.push_front(*context);
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < m_matrices.size(); ++i) {
        bytes += m_matrices[i]->bytes();
        if (i > 0 && (bytes > maxMatrixBytes || i >= maxMatrices)) {
            m_matrices.resize(i); // Tasks in work keep theirs alive.
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
