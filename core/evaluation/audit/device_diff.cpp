// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/device_diff.h"

#include "base/interruption.h"
#include "base/json.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/target_context.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/runners/find_runner.h"
#include "evaluation/runners/runner_pool.h"
#include "evaluation/steps/cuda_device_judge.h"
#include "kernel/plan.h"
#include "matrix/generate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <thread>

namespace sparserl {

namespace {

constexpr std::size_t maxInFlight = 48;
constexpr std::size_t matricesPerProgram = 5;
constexpr double wallSeconds = 120;

constexpr std::array matrixSpecs{"random(rows=3000,cols=2500,mean=8)",
                                 "random(rows=400,cols=9000,mean=60)",
                                 "stencil2d(n=61)",
                                 "stencil3d(n=15,points=27)",
                                 "banded(n=2100)",
                                 "blockfem(nodes=500)",
                                 "rmat(scale=11)",
                                 "lp(rows=1500,cols=1100)",
                                 "pruned(rows=300,cols=700)",
                                 "rmat(scale=9,degree=20)"};

/// A matrix with vectors for each number of columns.
struct DiffMatrix
{
    SharedMatrix shared;
    struct Vectors
    {
        std::string key;
        std::shared_ptr<SharedBuffer> buffer; ///< One input.
        Numbers x;
        std::shared_ptr<const Reference> reference;
    };
    std::map<std::int64_t, Vectors> vectors;
};

/// A program with the matrices that are left for it.
struct Program
{
    DerivedProgram derived;
    std::int64_t columns = 1;
    std::vector<std::size_t> targets;
    KernelProgram parsed;
    CompiledProgram compiled;
};

/// A pair on both devices.
struct Pair
{
    std::shared_ptr<const Program> program;
    DiffMatrix* target = nullptr;
    const DiffMatrix::Vectors* vectors = nullptr;
    std::optional<CaseAnswer> simulated, onGpu;
    std::shared_ptr<SharedBuffer> simulatedMemory, gpuMemory;
    NumberRange simulatedOutput, gpuOutput;
};
using PairPtr = std::shared_ptr<Pair>;

class Differ
{
public:
    explicit Differ(const DiffOptions& options)
        : m_options(options)
        , m_rng(options.seed)
    {
    }
    Result<DiffReport> run();

private:
    Status start();
    Status makeTargets();
    bool wanted(const Family& family) const;
    Status submitProgram();
    void compiled(const std::shared_ptr<Program>& program, const JobOutcome& outcome);
    void submitSimulation(const PairPtr& pair);
    void submitGpu(const PairPtr& pair);
    void arrived(const PairPtr& pair);
    void compare(const Pair& pair);
    void mismatch(const Pair& pair, std::string sentence);
    DiffMatrix::Vectors& vectorsOf(DiffMatrix& target, std::int64_t columns);
    void breakDown(Error error)
    {
        if (!m_error)
            m_error = std::move(error);
    }

    const DiffOptions& m_options;
    Rng m_rng;
    std::unique_ptr<RunnerPool> m_pool;
    GpuInfo m_gpu;
    bool m_sameSms = true;
    std::vector<DiffMatrix> m_targets;
    std::vector<std::pair<Task, std::string>> m_families;
    std::size_t m_nextFamily = 0, m_nextTarget = 0, m_inFlight = 0, m_submitted = 0;
    DiffReport m_report;
    std::optional<Error> m_error;
};

bool Differ::wanted(const Family& family) const
{
    return m_options.families.empty() || std::find(m_options.families.begin(), m_options.families.end(),
                                                   family.id) != m_options.families.end();
}

Status Differ::makeTargets()
{
    const auto add = [&](const std::string& key, const Csr& matrix) -> Status {
        // As plain numbers: with more than 24 bits where the type has them.
        Csr typed = inType(matrix, m_options.type);
        Rng rng(deriveSeed(m_options.seed, 0, "values of " + key));
        for (double& value : typed.val64)
            value = plainNumber(rng, NumberFormat::of(typed.type).digits);
        SPARSERL_TRY(auto shared, SharedMatrix::make(key, std::make_shared<const Csr>(std::move(typed))));
        m_targets.push_back({std::move(shared), {}});
        return {};
    };
    for (const char* spec : matrixSpecs) {
        SPARSERL_TRY(auto matrix, generate(spec));
        SPARSERL_CHECK(add(spec, matrix));
    }
    for (const auto& shape : batteryShapes(m_options.seed))
        SPARSERL_CHECK(add(shape.name, shape.matrix));
    return {};
}

Status Differ::start()
{
    SPARSERL_TRY(auto runner, findRunner(m_options.runnerPath));
    const DeviceModel* model = findDeviceModel(m_options.model);
    if (!model)
        return fail("there is no device model \"" + m_options.model + "\"");
    for (const Task task : {Task::SpMV, Task::SpMM})
        for (const auto& family : families(task))
            if (wanted(family))
                m_families.emplace_back(task, family.id);
    if (m_families.empty())
        return fail("no kernel family has one of these names", "use names such as S3 or M1");
    SPARSERL_CHECK(makeTargets());
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    PoolOptions options;
    options.runnerPath = std::move(runner);
    options.runners = {std::max(1, cores / 2), cores};
    options.gpus = {m_options.gpu};
    options.log = m_options.log;
    SPARSERL_TRY(auto pool, RunnerPool::start(std::move(options)));
    m_pool = std::move(pool);
    SPARSERL_TRY(auto info, gpuInfoFromJson(jsonValue<nlohmann::json>(m_pool->readyMessage(RunnerRole::Cuda),
                                                                      "gpu", {})));
    m_gpu = std::move(info);
    m_sameSms = m_gpu.smCount == model->smCount;
    m_report.gpu = gpuName(m_gpu);
    return {};
}

DiffMatrix::Vectors& Differ::vectorsOf(DiffMatrix& target, std::int64_t columns)
{
    auto& vectors = target.vectors[columns];
    if (vectors.buffer)
        return vectors;
    const Csr& matrix = *target.shared.matrix;
    Rng rng(deriveSeed(m_options.seed, static_cast<std::uint64_t>(columns), target.shared.key));
    vectors.x = plainVector(matrix.type, columns * matrix.cols, rng);
    vectors.reference = std::make_shared<Reference>(reference(matrix, vectors.x, columns));
    vectors.key = fmt::format("{}{}/{}", inputsKeyPrefix, target.shared.key, columns);
    auto buffer = SharedBuffer::create(vectors.x.view().bytes().size());
    if (!buffer) {
        breakDown(buffer.error());
        return vectors;
    }
    buffer->put(0, vectors.x);
    if (const auto sealed = buffer->seal(); !sealed)
        breakDown(sealed.error());
    vectors.buffer = std::make_shared<SharedBuffer>(std::move(*buffer));
    return vectors;
}

Status Differ::submitProgram()
{
    const auto& [task, family] = m_families[m_nextFamily++ % m_families.size()];
    SampleOptions sampling;
    sampling.families = {family};
    sampling.type = m_options.type;
    SPARSERL_TRY(auto derived, sampleProgram(task, sampling, m_rng));
    auto parsed = parseProgram(derived.text);
    if (!parsed)
        return fail("a program of the family " + family + " has a wrong plan: " + parsed.error().reason);
    auto program = std::make_shared<Program>();
    program->derived = std::move(derived);
    program->parsed = std::move(*parsed);
    program->columns = task == Task::SpMV ? 1 : m_rng.below(2) == 0 ? 8 : 32;
    for (std::size_t i = 0; i < matricesPerProgram; ++i)
        program->targets.push_back(m_nextTarget++ % m_targets.size());
    ++m_nextTarget; // Families and matrices do not walk in step.
    m_submitted += program->targets.size();
    m_inFlight += program->targets.size();
    CompileRequest request;
    request.code = program->parsed.code;
    for (const auto& call : program->parsed.plan.calls)
        request.kernels.push_back(call.kernel);
    request.architecture = fmt::format("sm_{}{}", m_gpu.major, m_gpu.minor);
    PoolJob job;
    job.role = RunnerRole::Compile;
    job.body = toJson(request);
    job.body["want_cubin"] = true;
    job.done = [this, program](const JobOutcome& outcome) { compiled(program, outcome); };
    m_pool->submit(std::move(job));
    return {};
}

void Differ::compiled(const std::shared_ptr<Program>& program, const JobOutcome& outcome)
{
    using Answer = Result<tl::expected<CompiledProgram, CompileFailure>>;
    auto answer = outcome.kind == JobOutcome::Kind::Answered ? compileAnswerFromJson(outcome.answer)
                                                             : Answer(fail(outcome.reason));
    if (!answer || !*answer) {
        breakDown(Error{"a program of the family " + program->derived.family + " does not compile: " +
                            (answer ? (*answer).error().message : answer.error().sentence()),
                        {},
                        0,
                        "run `sparserl doctor`"});
        return;
    }
    program->compiled = std::move(**answer);
    ++m_report.programs;
    for (const std::size_t target : program->targets) {
        auto pair = std::make_shared<Pair>();
        pair->program = program;
        pair->target = &m_targets[target];
        pair->vectors = &vectorsOf(*pair->target, program->columns);
        submitSimulation(pair);
        submitGpu(pair);
    }
}

void Differ::submitSimulation(const PairPtr& pair)
{
    const Program& program = *pair->program;
    SimulationJob job;
    job.program = program.derived.text;
    job.ptx = program.compiled.ptx;
    job.resources = program.compiled.resources;
    job.model = m_options.model;
    SimulationCase settings;
    settings.seed = m_options.seed;
    settings.checks = Checks::None;
    settings.stepBudget =
        10 * defaultStepBudget(pair->target->shared.workload({program.columns, m_options.type}));
    auto cases = std::make_shared<CasePlan>();
    CaseCheck check;
    check.references = {pair->vectors->reference};
    cases->add(pair->target->shared, {pair->vectors->x}, settings, std::move(check));
    auto memory = cases->fill(job, {.columns = program.columns, .type = m_options.type});
    if (!memory)
        return breakDown(memory.error());
    pair->simulatedMemory = *memory;
    pair->simulatedOutput = job.cases.at(0).calls.at(0).outputs.at(0);
    PoolJob work;
    work.role = RunnerRole::Sim;
    work.body = toJson(job);
    work.memory = *memory;
    work.matrices = cases->files();
    work.wallSeconds = wallSeconds;
    work.done = [this, pair](const JobOutcome& outcome) {
        auto answers = outcome.kind == JobOutcome::Kind::Answered ? caseAnswersFromJson(outcome.answer)
                                                                  : fail(outcome.reason);
        if (!answers || answers->empty())
            return breakDown(answers ? Error{"the simulator gave no answer", {}, 0, {}} : answers.error());
        pair->simulated = std::move(answers->front());
        arrived(pair);
    };
    m_pool->submit(std::move(work));
}

void Differ::submitGpu(const PairPtr& pair)
{
    const Program& program = *pair->program;
    const auto count = static_cast<std::uint64_t>(program.columns * pair->target->shared.matrix->rows);
    GpuJob job;
    job.program = program.derived.text;
    job.ptx = program.compiled.ptx;
    job.cubin = program.compiled.cubin;
    job.variant = {.columns = program.columns, .type = m_options.type};
    pair->gpuOutput = {0, count, m_options.type};
    job.before.push_back({pair->target->shared.key,
                          pair->vectors->key,
                          {{{{0, pair->vectors->x.size(), m_options.type}}, {pair->gpuOutput}, {}}},
                          m_options.seed});
    auto memory = SharedBuffer::create(sizeOf(m_options.type) * count);
    if (!memory)
        return breakDown(memory.error());
    pair->gpuMemory = std::make_shared<SharedBuffer>(std::move(*memory));
    PoolJob work;
    work.role = RunnerRole::Cuda;
    work.body = toJson(job);
    work.memory = pair->gpuMemory;
    work.matrices = {{pair->target->shared.key, pair->target->shared.buffer},
                     {pair->vectors->key, pair->vectors->buffer}};
    work.wallSeconds = wallSeconds;
    work.done = [this, pair](const JobOutcome& outcome) {
        CaseAnswer answer;
        if (outcome.kind == JobOutcome::Kind::Answered) {
            auto read = gpuAnswerFromJson(outcome.answer);
            if (!read || read->before.empty())
                return breakDown(read ? Error{"the GPU's runner gave no answer", {}, 0, {}} : read.error());
            answer = std::move(read->before.front());
        } else if (outcome.kind == JobOutcome::Kind::Failed) {
            return breakDown(Error{"a program could not be run on the GPU: " + outcome.reason,
                                   {},
                                   0,
                                   "run `sparserl device info`"});
        } else {
            answer.fault = Fault{FaultKind::Timeout, outcome.reason, {}, 0, {}, {}};
        }
        pair->onGpu = std::move(answer);
        arrived(pair);
    };
    m_pool->submit(std::move(work));
}

void Differ::arrived(const PairPtr& pair)
{
    if (!pair->simulated || !pair->onGpu)
        return;
    compare(*pair);
    --m_inFlight;
    if (m_options.progress)
        m_options.progress(static_cast<double>(m_report.compared()) / static_cast<double>(m_options.pairs));
}

void Differ::mismatch(const Pair& pair, std::string sentence)
{
    const Program& program = *pair.program;
    m_report.mismatches.push_back({program.derived.family, parametersJson(program.derived.parameters),
                                   pair.target->shared.key, program.derived.text, program.columns,
                                   std::move(sentence)});
}

void Differ::compare(const Pair& pair)
{
    const CaseAnswer &sim = *pair.simulated, &gpu = *pair.onGpu;
    const auto trouble = [](const CaseAnswer& answer) -> std::string {
        return answer.bind ? answer.bind->reason : answer.fault ? answer.fault->message : std::string();
    };
    const std::string simTrouble = trouble(sim), gpuTrouble = trouble(gpu);
    if (sim.bind && gpu.bind && sim.bind->kind == gpu.bind->kind) {
        ++m_report.notApplicable;
        return;
    }
    ++m_report.byFamily[pair.program->derived.family];
    if (!simTrouble.empty() || !gpuTrouble.empty()) {
        const auto told = [](const std::string& text) { return text.empty() ? "it runs" : text; };
        return mismatch(
            pair, fmt::format("on the GPU: {}; in the simulator: {}", told(gpuTrouble), told(simTrouble)));
    }
    const auto outputOf = [&](const SharedBuffer& memory, const NumberRange& range) {
        return memory.numbers(m_options.type, range.at, range.count);
    };
    const NumberView a = outputOf(*pair.gpuMemory, pair.gpuOutput),
                     b = outputOf(*pair.simulatedMemory, pair.simulatedOutput);
    const int digits = NumberFormat::of(m_options.type).textDigits();
    const Reference& expected = *pair.vectors->reference;
    const auto wrongOnGpu = firstWrong(a, expected, Tolerance::Flushed),
               wrongInSim = firstWrong(b, expected, Tolerance::Flushed);
    if (wrongOnGpu || wrongInSim) {
        const WrongElement& wrong = wrongOnGpu ? *wrongOnGpu : *wrongInSim;
        const auto at = static_cast<std::size_t>(wrong.row * pair.program->columns + wrong.column);
        return mismatch(
            pair, fmt::format("[{}, {}] is {:.{}g} on the GPU and {:.{}g} in the simulator, but should be "
                              "{:.{}g} within {:.3g}",
                              wrong.row, wrong.column, a[at], digits, b[at], digits, wrong.expected, digits,
                              wrong.bound));
    }
    if (!firstDifference(a, b)) {
        ++m_report.exact;
        return;
    }
    const bool bySms = !m_sameSms && pair.program->derived.text.find("sm_count") != std::string::npos;
    if (mayDiffer(pair.program->compiled.ptx) || bySms) {
        ++m_report.within;
        return;
    }
    std::size_t at = 0, different = 0;
    for (std::size_t i = a.size(); i-- > 0;)
        if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) {
            at = i;
            ++different;
        }
    mismatch(pair, fmt::format(
                       "{} of {} elements differ in bits, first [{}, {}]: {:.{}g} on the GPU, {:.{}g} in the "
                       "simulator; both are within the bound of {:.{}g}",
                       different, a.size(), at / static_cast<std::size_t>(pair.program->columns),
                       at % static_cast<std::size_t>(pair.program->columns), a[at], digits, b[at], digits,
                       expected.values[at], digits));
}

Result<DiffReport> Differ::run()
{
    const double begin = monotonicSeconds();
    SPARSERL_CHECK(start());
    // Formats that apply to few matrices must not make it endless.
    const std::size_t mostSubmitted = 4 * m_options.pairs + 200;
    while (!m_error) {
        if (m_options.cancel.cancelled())
            return fail(interruption());
        while (m_inFlight < maxInFlight && m_report.compared() + m_inFlight < m_options.pairs &&
               m_submitted < mostSubmitted && !m_error)
            SPARSERL_CHECK(submitProgram());
        if (m_inFlight == 0)
            break;
        SPARSERL_CHECK(m_pool->pump(100));
    }
    if (m_error)
        return fail(*m_error);
    m_report.seconds = monotonicSeconds() - begin;
    return m_report;
}

} // namespace

bool mayDiffer(std::string_view ptx)
{
    if (ptx.find(".approx") != std::string_view::npos)
        return true;
    for (const std::string_view atomic : {"atom.", "red."})
        for (auto at = ptx.find(atomic); at != std::string_view::npos; at = ptx.find(atomic, at + 1)) {
            const auto form = ptx.substr(at, std::min(ptx.find_first_of(" \t\n;", at), ptx.size()) - at);
            // A loop of compare-and-swap is how floats are added where no instruction does it.
            if (form.find(".f") != std::string_view::npos || form.find(".cas") != std::string_view::npos)
                return true;
        }
    return false;
}

Result<DiffReport> deviceDiff(const DiffOptions& options)
{
    return Differ(options).run();
}

} // namespace sparserl
