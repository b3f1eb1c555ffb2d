// SPDX-License-Identifier: Apache-2.0
#include "evaluation/simulator_judge.h"

#include "base/hash.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "evaluation/case_plan.h"
#include "evaluation/inputs.h"
#include "evaluation/matrix_context.h"
#include "evaluation/record_builder.h"
#include "evaluation/runner_pool.h"
#include "kernel/plan.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <system_error>
#include <thread>
#include <unordered_map>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// Requests in work at the same time: enough to keep every runner busy, few enough to bound the memory.
constexpr std::size_t maxInFlight = 32;
constexpr std::size_t maxPrograms = 4096;
constexpr std::int64_t maxMatrixBytes = std::int64_t(2) << 30;
constexpr double compileWallSeconds = 60;

/// A value that others wait for.
template <typename T>
struct Awaited
{
    bool started = false;
    std::string owner; ///< Hash of the program text that is run for everybody.
    std::optional<T> value;
    std::vector<std::function<void()>> waiters;

    void then(std::function<void()> next)
    {
        if (value)
            next();
        else
            waiters.push_back(std::move(next));
    }
    void set(T result)
    {
        value = std::move(result);
        const auto waiting = std::move(waiters);
        waiters.clear();
        for (const auto& next : waiting)
            next();
    }
};

/// A program compiled, or why not.
struct ProgramState
{
    std::optional<ProgramFailure> failure;
    KernelProgram program;
    CompiledProgram compiled;
    std::string sameKey; ///< Equal for programs that differ in nothing that runs.
};

/// What a program's battery found; nothing: it passed.
struct BatteryState
{
    std::optional<CaseFailure> failure;
    bool nondeterministic = false;
};

struct Baseline
{
    std::string name, algorithm;
    double microseconds = 0; ///< 0: there is no reference program for this task.
};

Result<fs::path> findRunner(const fs::path& given)
{
    std::vector<fs::path> candidates;
    if (!given.empty()) {
        candidates = {given};
    } else {
        if (const char* chosen = std::getenv("SPARSERL_RUNNER"); chosen && *chosen)
            candidates.emplace_back(chosen);
        const fs::path folder = executablePath().parent_path();
        candidates.push_back(folder / "sparserl-runner");
        candidates.push_back(folder.parent_path() / "bin" / "sparserl-runner");
    }
    for (const auto& candidate : candidates) {
        std::error_code error;
        if (fs::is_regular_file(candidate, error))
            return candidate;
    }
    return fail("sparserl-runner was not found (looked for " + candidates.back().string() + ")",
                "build it, or set SPARSERL_RUNNER to its path");
}

class SimulatorJudge : public Judge
{
public:
    SimulatorJudge(JudgeOptions options, const DeviceModel& model)
        : m_options(std::move(options))
        , m_model(model)
    {
    }

    Status start();
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override;

private:
    using ProgramEntry = Awaited<ProgramState>;
    using BatteryEntry = Awaited<BatteryState>;
    using BaselineEntry = Awaited<Baseline>;
    using RunEntry = Awaited<CaseFindings>; ///< Of one program on one matrix with one seed.
    using Finished = std::function<void(VerdictRecord)>;

    /// A request on its way.
    struct Task
    {
        JudgeRequest request;
        VerdictRecord record;
        Finished finished;
        std::shared_ptr<MatrixContext> matrix;
        std::shared_ptr<ProgramEntry> program;
        std::shared_ptr<BatteryEntry> battery;
        std::shared_ptr<BaselineEntry> baseline;
        std::shared_ptr<RunEntry> run;
        bool isBaseline = false;
        double started = 0;
    };
    using TaskPtr = std::shared_ptr<Task>;

    void begin(const TaskPtr& task);
    void compile(const std::shared_ptr<ProgramEntry>& entry, const std::string& text);
    void compiled(const std::shared_ptr<ProgramEntry>& entry, ProgramState state, JobOutcome outcome);
    void afterCompile(const TaskPtr& task);
    void runBattery(const std::shared_ptr<BatteryEntry>& entry, const ProgramState& state,
                    std::int64_t columns);
    void useBattery(const TaskPtr& task, const std::string& key);
    void afterBattery(const TaskPtr& task);
    void useRun(const TaskPtr& task, const std::string& key);
    void runMatrix(const TaskPtr& task, const std::shared_ptr<RunEntry>& entry);
    void afterMatrix(const TaskPtr& task);
    void requestBaseline(const TaskPtr& task);
    void finishCorrect(const TaskPtr& task);
    void finishFailed(const TaskPtr& task, const CaseFailure& failure);
    void finish(const TaskPtr& task);

    /// Sends cases to a sim runner. `found` gets the findings, or a crash as a failure of the first case.
    void simulate(const ProgramState& state, std::shared_ptr<CasePlan> cases, std::int64_t columns,
                  std::function<void(CaseFindings)> found);
    Result<std::shared_ptr<MatrixContext>> matrixContext(const JudgeRequest& request);
    SimulationCase settings(std::uint64_t seed, Checks checks, const Csr& matrix, std::int64_t columns) const;
    void breakDown(Error error)
    {
        if (!m_error)
            m_error = std::move(error);
    }
    void forgetUnfinished();
    void trimCaches();

    JudgeOptions m_options;
    const DeviceModel& m_model;
    std::unique_ptr<RunnerPool> m_pool;
    std::vector<BatteryShape> m_shapes;
    std::vector<SharedMatrix> m_sharedShapes;
    std::unordered_map<std::string, std::shared_ptr<ProgramEntry>> m_programs;
    std::unordered_map<std::string, std::shared_ptr<BatteryEntry>> m_batteries;
    std::map<std::pair<std::string, std::int64_t>, std::shared_ptr<BaselineEntry>> m_baselines;
    std::unordered_map<std::string, std::shared_ptr<RunEntry>> m_runs;
    std::deque<std::shared_ptr<MatrixContext>> m_matrices; ///< Last used in front.
    std::optional<Error> m_error;
};

Status SimulatorJudge::start()
{
    auto runner = findRunner(m_options.runnerPath);
    if (!runner)
        return fail(runner.error());
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    PoolOptions options;
    options.runnerPath = *runner;
    options.runners = {m_options.compileRunners > 0 ? m_options.compileRunners : std::max(1, cores / 2),
                       m_options.simRunners > 0 ? m_options.simRunners : cores};
    options.log = m_options.log;
    auto pool = RunnerPool::start(std::move(options));
    if (!pool)
        return fail(pool.error());
    m_pool = std::move(*pool);
    m_shapes = batteryShapes(deriveSeed(m_options.secretSeed, 0, "battery"));
    for (const auto& shape : m_shapes) {
        auto shared = SharedMatrix::make("battery/" + shape.name, std::make_shared<Csr>(shape.matrix));
        if (!shared)
            return fail(shared.error());
        m_sharedShapes.push_back(std::move(*shared));
    }
    return {};
}

Result<std::vector<VerdictRecord>>
SimulatorJudge::judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
                      const std::function<void(std::size_t, const VerdictRecord&)>& done)
{
    m_error.reset();
    trimCaches();
    std::vector<VerdictRecord> records(requests.size());
    std::size_t next = 0, finished = 0;
    while (finished < requests.size() && !m_error) {
        if (cancel.cancelled()) {
            breakDown(Error{"judging was cancelled", {}, 0, {}});
            break;
        }
        while (next < requests.size() && next - finished < maxInFlight && !m_error) {
            auto task = std::make_shared<Task>();
            const std::size_t index = next++;
            task->request = requests[index];
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
    if (m_error) {
        m_pool->abandon();
        forgetUnfinished();
        return fail(*m_error);
    }
    return records;
}

void SimulatorJudge::begin(const TaskPtr& task)
{
    const JudgeRequest& request = task->request;
    VerdictRecord& record = task->record;
    task->started = unixSeconds();
    record.programHash = sha256Hex(request.program);
    record.matrixDigest = request.matrixDigest;
    record.matrixName = request.matrixName;
    record.denseColumns = request.denseColumns;
    record.task = nameOf(request.denseColumns > 1 ? sparserl::Task::SpMM : sparserl::Task::SpMV);
    record.device = "simulated " + m_model.name;
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
    task->matrix = std::move(*matrix);
    record.compulsoryBytes = task->matrix->compulsoryBytes(request.denseColumns);

    auto& entry = m_programs[record.programHash];
    if (!entry)
        entry = std::make_shared<ProgramEntry>();
    task->program = entry;
    if (!entry->started) {
        entry->started = true;
        compile(entry, request.program);
    }
    task->program->then([this, task] { afterCompile(task); });
}

void SimulatorJudge::compile(const std::shared_ptr<ProgramEntry>& entry, const std::string& text)
{
    ProgramState state;
    auto program = parseProgram(text);
    if (!program) {
        state.failure = ProgramFailure{Verdict::PlanError, program.error().line, program.error().reason, {}};
        entry->set(std::move(state));
        return;
    }
    CompileRequest request;
    request.code = program->code;
    for (const auto& call : program->plan.calls)
        if (std::find(request.kernels.begin(), request.kernels.end(), call.kernel) == request.kernels.end())
            request.kernels.push_back(call.kernel);
    request.architecture = m_options.architecture;
    state.program = std::move(*program);
    PoolJob job;
    job.role = RunnerRole::Compile;
    job.body = toJson(request);
    job.wallSeconds = compileWallSeconds;
    job.done = [this, entry, state = std::move(state)](JobOutcome outcome) mutable {
        compiled(entry, std::move(state), std::move(outcome));
    };
    m_pool->submit(std::move(job));
}

void SimulatorJudge::compiled(const std::shared_ptr<ProgramEntry>& entry, ProgramState state,
                              JobOutcome outcome)
{
    if (outcome.kind == JobOutcome::Kind::Failed) {
        breakDown(
            Error{"a program could not be compiled: " + outcome.reason, {}, 0, "run `sparserl doctor`"});
        return;
    }
    if (outcome.kind == JobOutcome::Kind::Crashed) {
        state.failure = compilerCrash(outcome);
        entry->set(std::move(state));
        return;
    }
    auto answer = compileAnswerFromJson(outcome.answer);
    if (!answer) {
        breakDown(answer.error());
        return;
    }
    if (!*answer) {
        state.failure = programFailure(answer->error());
    } else {
        state.compiled = std::move(**answer);
        // The plan lines and the PTX are all that runs: names and comments make no difference.
        std::string plan;
        for (std::size_t at = 0, end = 0; at < state.program.text.size(); at = end + 1) {
            end = std::min(state.program.text.find('\n', at), state.program.text.size());
            const auto line = std::string_view(state.program.text).substr(at, end - at);
            if (const auto first = line.find_first_not_of(" \t");
                first != std::string_view::npos && line.substr(first).starts_with("//!"))
                plan += std::string(line.substr(first)) + "\n";
        }
        state.sameKey = sha256Hex(plan) + state.compiled.ptxHash;
    }
    entry->set(std::move(state));
}

void SimulatorJudge::afterCompile(const TaskPtr& task)
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
    applyResources(record, state.compiled.resources);
    const bool spmm = state.program.plan.task == sparserl::Task::SpMM;
    if (spmm != (task->request.denseColumns > 1)) {
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

void SimulatorJudge::useBattery(const TaskPtr& task, const std::string& key)
{
    auto& entry = m_batteries[key + "/" + std::to_string(task->request.denseColumns)];
    if (!entry)
        entry = std::make_shared<BatteryEntry>();
    task->battery = entry;
    if (!entry->started) {
        entry->started = true;
        entry->owner = task->record.programHash;
        runBattery(task->battery, *task->program->value, task->request.denseColumns);
    }
    task->battery->then([this, task] { afterBattery(task); });
}

SimulationCase SimulatorJudge::settings(std::uint64_t seed, Checks checks, const Csr& matrix,
                                        std::int64_t columns) const
{
    SimulationCase one;
    one.seed = seed;
    one.checks = checks;
    one.stepBudget = m_options.stepBudget ? m_options.stepBudget : defaultStepBudget(matrix, columns);
    return one;
}

void SimulatorJudge::runBattery(const std::shared_ptr<BatteryEntry>& entry, const ProgramState& state,
                                std::int64_t columns)
{
    auto cases = std::make_shared<CasePlan>();
    for (std::size_t i = 0; i < m_shapes.size(); ++i) {
        const Csr& matrix = m_shapes[i].matrix;
        const std::uint64_t seed = deriveSeed(m_options.secretSeed, i, "battery inputs");
        Rng rng(seed);
        const std::int64_t count = columns * matrix.cols;
        auto x = m_shapes[i].integer ? integerVector(count, integerRange(matrix).vector, rng)
                                     : randomVector(count, rng);
        CaseCheck check;
        check.name = m_shapes[i].name;
        check.exact = m_shapes[i].integer;
        check.references = {std::make_shared<Reference>(reference(matrix, x, columns))};
        cases->add(m_sharedShapes[i], {std::move(x)}, settings(seed, Checks::All, matrix, columns),
                   std::move(check));
    }
    simulate(state, cases, columns, [entry](CaseFindings findings) {
        entry->set({std::move(findings.failure), findings.nondeterministic});
    });
}

void SimulatorJudge::afterBattery(const TaskPtr& task)
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
    if (!task->isBaseline)
        requestBaseline(task);
    // A policy writes the same program again and again: equal programs, matrices and seeds give equal
    // records. Counters per line are each text's own.
    useRun(task,
           task->request.lineCounters ? task->record.programHash + "/lines" : task->program->value->sameKey);
}

void SimulatorJudge::useRun(const TaskPtr& task, const std::string& key)
{
    auto& entry = m_runs[fmt::format("{}/{}/{}/{}", key, task->request.denseColumns, task->request.seed,
                                     task->matrix->digest())];
    if (!entry)
        entry = std::make_shared<RunEntry>();
    task->run = entry;
    if (!entry->started) {
        entry->started = true;
        entry->owner = task->record.programHash;
        runMatrix(task, task->run);
    }
    task->run->then([this, task] { afterMatrix(task); });
}

void SimulatorJudge::runMatrix(const TaskPtr& task, const std::shared_ptr<RunEntry>& entry)
{
    const auto columns = task->request.denseColumns;
    MatrixContext& context = *task->matrix;
    const std::uint64_t seed =
        deriveSeed(m_options.secretSeed, task->request.seed, "schedule " + context.digest());
    auto cases = std::make_shared<CasePlan>();

    // The target's small relative, with every check: exact and linear, then in two schedules.
    {
        const Csr& matrix = *context.relative().matrix;
        Rng rng(seed);
        const std::int64_t count = columns * matrix.cols;
        const int limit = integerRange(matrix).vector;
        auto x1 = integerVector(count, limit, rng), x2 = integerVector(count, limit, rng);
        std::vector<float> x3(x1.size());
        for (std::size_t i = 0; i < x3.size(); ++i)
            x3[i] = 2 * x1[i] - 3 * x2[i];
        CaseCheck exact;
        exact.name = "like-the-target";
        exact.exact = exact.linear = true;
        for (const auto* x : {&x1, &x2, &x3})
            exact.references.push_back(
                std::make_shared<Reference>(reference(*context.relativeIntegers().matrix, *x, columns)));
        auto exactSettings = settings(seed, Checks::All, matrix, columns);
        exactSettings.stepBudget *= 3;
        cases->add(context.relativeIntegers(), {std::move(x1), std::move(x2), std::move(x3)}, exactSettings,
                   std::move(exact));
        const auto x = randomVector(count, rng);
        CaseCheck random;
        random.name = "like-the-target";
        random.references = {std::make_shared<Reference>(reference(matrix, x, columns))};
        cases->add(context.relative(), {x}, settings(seed + 1, Checks::All, matrix, columns), random);
        random.repeats = 1;
        cases->add(context.relative(), {x}, settings(seed + 2, Checks::All, matrix, columns), random);
    }
    // The matrix itself: exact integers, random values (timed), and once more with other inputs.
    const Csr& matrix = *context.target().matrix;
    const auto inputs = context.inputs(task->request.seed, columns);
    const Checks checks = matrix.nnz() <= m_options.fullCheckNnz ? Checks::All : Checks::None;
    const auto add = [&](const SharedMatrix& shared, const std::vector<float>& x, const Reference& expected,
                         bool exact, bool timed, Checks level) {
        CaseCheck check;
        check.exact = exact;
        check.timed = timed;
        check.references = {std::shared_ptr<const Reference>(inputs, &expected)};
        auto one = settings(seed + 3 + (timed ? 1 : 0), level, matrix, columns);
        one.lineCounters = timed && task->request.lineCounters;
        cases->add(shared, {x}, one, std::move(check));
    };
    if (!context.integers().key.empty())
        add(context.integers(), inputs->integers, inputs->integersReference, true, false, checks);
    add(context.target(), inputs->first, inputs->firstReference, false, true, Checks::Counters);
    add(context.target(), inputs->second, inputs->secondReference, false, false, Checks::None);
    simulate(*task->program->value, cases, columns,
             [entry](CaseFindings findings) { entry->set(std::move(findings)); });
}

void SimulatorJudge::simulate(const ProgramState& state, std::shared_ptr<CasePlan> cases,
                              std::int64_t columns, std::function<void(CaseFindings)> found)
{
    SimulationJob job;
    job.program = state.program.text;
    job.ptx = state.compiled.ptx;
    job.resources = state.compiled.resources;
    job.model = m_options.deviceModel;
    auto memory = cases->fill(job, columns);
    if (!memory) {
        breakDown(memory.error());
        return;
    }
    PoolJob work;
    work.role = RunnerRole::Sim;
    work.body = toJson(job);
    work.memory = *memory;
    work.matrices = cases->matrices();
    // Far beyond what the steps can take: reaching it means that the machine, not the program, is stuck.
    work.wallSeconds = 60 + static_cast<double>(cases->totalSteps()) / 2e5;
    work.done = [this, cases, memory = *memory, found = std::move(found)](JobOutcome outcome) {
        if (outcome.kind == JobOutcome::Kind::Failed) {
            breakDown(
                Error{"a program could not be simulated: " + outcome.reason, {}, 0, "run `sparserl doctor`"});
            return;
        }
        if (outcome.kind == JobOutcome::Kind::Crashed) {
            CaseFindings findings;
            findings.failure.emplace();
            findings.failure->fault = simulatorCrash(outcome);
            found(std::move(findings));
            return;
        }
        auto answers = caseAnswersFromJson(outcome.answer);
        auto findings = answers ? cases->judge(*answers, *memory) : fail(answers.error());
        if (!findings) {
            breakDown(findings.error());
            return;
        }
        found(std::move(*findings));
    };
    m_pool->submit(std::move(work));
}

void SimulatorJudge::afterMatrix(const TaskPtr& task)
{
    if (task->run->value->failure) {
        if (task->run->owner != task->record.programHash)
            useRun(task, task->record.programHash);
        else
            finishFailed(task, *task->run->value->failure);
        return;
    }
    if (task->isBaseline)
        finishCorrect(task);
    else
        task->baseline->then([this, task] { finishCorrect(task); });
}

void SimulatorJudge::requestBaseline(const TaskPtr& task)
{
    auto& entry = m_baselines[{task->matrix->digest(), task->request.denseColumns}];
    if (!entry)
        entry = std::make_shared<BaselineEntry>();
    task->baseline = entry;
    if (entry->started)
        return;
    entry->started = true;
    const auto reference =
        referenceProgram(task->request.denseColumns > 1 ? sparserl::Task::SpMM : sparserl::Task::SpMV);
    if (reference.text.empty()) {
        entry->set({});
        return;
    }
    auto baseline = std::make_shared<Task>();
    baseline->isBaseline = true;
    baseline->request = task->request;
    baseline->request.program = reference.text;
    baseline->request.seed = 0; // The same time for every request on this matrix.
    baseline->request.lineCounters = false;
    baseline->finished = [this, entry, name = reference.name](VerdictRecord record) {
        if (!record.correct() || !record.warm) {
            breakDown(Error{"the reference program is not correct on matrix " + record.matrixName + " (" +
                                std::string(nameOf(record.verdict)) + ": " + record.message + ")",
                            {},
                            0,
                            "this is a fault of the program: report it with the matrix"});
            return;
        }
        entry->set({name, "CSR", record.warm->median});
    };
    begin(baseline);
}

void SimulatorJudge::finishCorrect(const TaskPtr& task)
{
    VerdictRecord& record = task->record;
    record.verdict = Verdict::Correct;
    const bool nondeterministic =
        task->run->value->nondeterministic || task->battery->value->nondeterministic;
    if (nondeterministic)
        record.flags.emplace_back("nondeterministic");
    const double floor = task->matrix->floorMicroseconds(m_model, task->request.denseColumns);
    applyTiming(record, *task->run->value->timed, floor);
    if (task->baseline && task->baseline->value)
        applyBaseline(record, task->baseline->value->name, task->baseline->value->algorithm,
                      task->baseline->value->microseconds);
    finish(task);
}

void SimulatorJudge::finishFailed(const TaskPtr& task, const CaseFailure& failure)
{
    applyFailure(task->record, failure);
    finish(task);
}

void SimulatorJudge::finish(const TaskPtr& task)
{
    task->record.judgeSeconds = unixSeconds() - task->started;
    const auto finished = std::move(task->finished);
    finished(std::move(task->record));
}

Result<std::shared_ptr<MatrixContext>> SimulatorJudge::matrixContext(const JudgeRequest& request)
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
        if (i > 0 && bytes > maxMatrixBytes) {
            m_matrices.resize(i); // Tasks in work keep theirs alive.
            break;
        }
    }
    return *context;
}

void SimulatorJudge::forgetUnfinished()
{
    const auto unfinished = [](const auto& entry) { return !entry.second->value; };
    std::erase_if(m_programs, unfinished);
    std::erase_if(m_batteries, unfinished);
    std::erase_if(m_baselines, unfinished);
    std::erase_if(m_runs, unfinished);
}

void SimulatorJudge::trimCaches()
{
    if (m_programs.size() > maxPrograms)
        m_programs.clear();
    if (m_batteries.size() > 4 * maxPrograms)
        m_batteries.clear();
    if (m_runs.size() > 16 * maxPrograms)
        m_runs.clear();
}

} // namespace

Result<std::unique_ptr<Judge>> makeSimulatorJudge(JudgeOptions options)
{
    const DeviceModel* model = findDeviceModel(options.deviceModel);
    if (!model) {
        std::string known;
        for (const auto& name : deviceModelNames())
            known += (known.empty() ? "" : ", ") + name;
        return fail("there is no device model \"" + options.deviceModel + "\"", "use one of: " + known);
    }
    auto judge = std::make_unique<SimulatorJudge>(std::move(options), *model);
    if (auto started = judge->start(); !started)
        return fail(started.error());
    return std::unique_ptr<Judge>(std::move(judge));
}

} // namespace sparserl
