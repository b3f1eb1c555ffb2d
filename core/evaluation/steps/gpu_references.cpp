// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/gpu_references.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr int maxAttempts = 3;
constexpr double wallSeconds = 300; ///< Every routine of a library on a large matrix.

/// A program whose kernels do nothing: what its call takes is what launching takes.
std::string emptyProgram(int launches)
{
    std::string text = "//! task spmv\n";
    for (int i = 0; i < launches; ++i)
        text += "//! launch nothing<<<1, 32>>>(rows)\n";
    return text + "extern \"C\" __global__ void nothing(int rows) {}\n";
}

} // namespace

GpuReferences::GpuReferences(const JudgeServices& services, const GpuInfo& info, bool paper)
    : m_services(services)
    , m_paper(paper)
    , m_floor(GpuFloor::of(info))
{
}

const std::shared_ptr<GpuReferences::Entry>& GpuReferences::entry(const TargetTask& task)
{
    auto& place = m_entries[task.target().key()];
    if (!place) {
        place = std::make_shared<Entry>();
        place->book = BaselineBook(m_paper);
    }
    return place;
}

const GpuReferences::Entry* GpuReferences::find(const TargetTask& task) const
{
    const auto found = m_entries.find(task.target().key());
    return found == m_entries.end() ? nullptr : found->second.get();
}

Flow<> GpuReferences::ready(TargetTask task)
{
    const auto floor = m_floorMeasured;
    if (!floor->started())
        floor->start(measureFloor());
    const auto known = entry(task);
    if (!known->measured.started())
        known->measured.start(measureBaseline(task));
    co_await *floor;
    co_await known->measured;
}

const BaselineTiming& GpuReferences::baseline(const TargetTask& task) const
{
    static const BaselineTiming none;
    const Entry* known = find(task);
    return known ? known->book.best() : none;
}

Baseline GpuReferences::library(const TargetTask& task) const
{
    const Entry* known = find(task);
    if (!known)
        return {};
    const BaselineTiming& best = known->book.best();
    return {best.library,
            best.algorithm,
            best.warm.median,
            known->book.defaultRoutine(),
            known->book.bestRoutine(),
            known->problem};
}

int GpuReferences::epoch(const TargetTask& task) const
{
    const Entry* known = find(task);
    return known ? known->book.epoch() : 0;
}

double GpuReferences::bestVerified(const TargetTask& task) const
{
    const Entry* known = find(task);
    return !known ? 0 : known->bestVerified > 0 ? known->bestVerified : known->book.best().warm.median;
}

void GpuReferences::verified(const TargetTask& task, double microseconds)
{
    double& best = entry(task)->bestVerified;
    best = best > 0 ? std::min(best, microseconds) : microseconds;
}

bool GpuReferences::wouldBeFastest(const TargetTask& task, double microseconds) const
{
    const Entry* known = find(task);
    return !known || known->bestSimulated == 0 || microseconds < known->bestSimulated;
}

void GpuReferences::simulated(const TargetTask& task, double microseconds)
{
    double& best = entry(task)->bestSimulated;
    best = best > 0 ? std::min(best, microseconds) : microseconds;
}

Flow<Status> GpuReferences::control()
{
    const Result<double> time = co_await timeEmpty(1, true);
    co_return time ? Status{} : Status(fail(time.error()));
}

Flow<bool> GpuReferences::measureFloor()
{
    constexpr int several = 5;
    const double one = co_await measureLaunches(1);
    const double all = co_await measureLaunches(several);
    m_floor.launchMicroseconds = one;
    m_floor.nextLaunchMicroseconds = std::max(0.0, (all - one) / (several - 1));
    m_services.host.log(
        fmt::format("an empty call takes {:.2f} us on the GPU, every further launch {:.2f} us", one,
                    m_floor.nextLaunchMicroseconds));
    co_return true;
}

Flow<double> GpuReferences::measureLaunches(int launches)
{
    const Result<double> time = co_await timeEmpty(launches, false);
    if (!time) {
        const Error error{"an empty kernel cannot be timed on the GPU: " + time.error().sentence(),
                          {},
                          0,
                          "run `sparserl device info`"};
        co_await m_services.host.broken(error);
    }
    co_return *time;
}

Flow<Result<double>> GpuReferences::timeEmpty(int launches, bool fresh)
{
    const auto program = co_await m_services.programs.own(emptyProgram(launches));
    const ProgramState& state = *program;
    if (state.failure)
        co_return fail("an empty kernel does not compile: " + state.failure->message);
    const SharedContents& contents = m_services.cases.small();
    const auto count = static_cast<std::uint64_t>(contents.workload({}).tensor(TensorRole::Input).count());
    auto memory = SharedBuffer::create(64);
    auto vectors = SharedBuffer::create(4 * count);
    if (!memory || !vectors)
        co_return fail(memory ? vectors.error() : memory.error());
    if (const auto sealed = vectors->seal(); !sealed)
        co_return fail(sealed.error());
    GpuJob job;
    job.program = state.program.text;
    job.ptx = state.compiled.ptx;
    job.cubin = state.compiled.cubin;
    job.timing.emplace();
    job.timing->contents = contents.key;
    job.timing->inputsKey = std::string(inputsKeyPrefix) + "floor";
    job.timing->ring = {{{0, count}}};
    job.timing->cold = false;
    PoolJob work;
    work.role = RunnerRole::Cuda;
    work.body = toJson(job);
    work.memory = std::make_shared<SharedBuffer>(std::move(*memory));
    work.matrices = {{contents.key, contents.buffer},
                     {job.timing->inputsKey, std::make_shared<SharedBuffer>(std::move(*vectors))}};
    work.wallSeconds = wallSeconds;
    work.fresh = work.urgent = fresh;
    const JobOutcome outcome = co_await m_services.pool.run(std::move(work));
    if (outcome.kind != JobOutcome::Kind::Answered)
        co_return fail(outcome.reason);
    const auto answer = gpuAnswerFromJson(outcome.answer);
    if (!answer)
        co_return fail(answer.error());
    if (!answer->timing || answer->timing->fault)
        co_return fail(answer->timing ? answer->timing->fault->message : "nothing was timed");
    m_services.metrics.gpuBusySeconds += answer->busySeconds;
    m_services.metrics.measuringSeconds += answer->timing->measuringSeconds;
    co_return answer->timing->warm.median;
}

Flow<Result<BaselineAnswer>> GpuReferences::timeLibrary(const TargetTask& task)
{
    BaselineJob job;
    job.contents = task.cases->own().key;
    job.variant = task.target().variant;
    job.set = m_paper ? BaselineSet::AllFormats : BaselineSet::Csr;
    job.cold = false;
    job.meanCalls = m_paper ? 1000 : 0;
    job.seed = m_services.options.secret();
    PoolJob work;
    work.role = RunnerRole::Cuda;
    work.body = toJson(job);
    work.matrices = {{task.cases->own().key, task.cases->own().buffer}};
    work.wallSeconds = wallSeconds;
    const JobOutcome outcome = co_await m_services.pool.run(std::move(work));
    if (outcome.kind != JobOutcome::Kind::Answered)
        co_return fail(outcome.reason);
    co_return baselineAnswerFromJson(outcome.answer);
}

Flow<bool> GpuReferences::measureBaseline(TargetTask task)
{
    Entry& known = *entry(task); // Which owns this flow.
    int failures = 0;
    auto outcome = BaselineBook::Outcome::Again;
    while (outcome == BaselineBook::Outcome::Again) {
        const auto answer = co_await timeLibrary(task);
        if (!answer && ++failures < maxAttempts)
            continue;
        if (!answer) {
            co_await noBaseline(task, "cuSPARSE cannot be timed on matrix " + task.target().name + ": " +
                                          answer.error().what);
            co_return true;
        }
        failures = 0;
        m_services.metrics.gpuBusySeconds += answer->busySeconds;
        ++m_services.metrics.baselines;
        const double before = known.book.best().warm.median;
        outcome = known.book.add(answer->timings);
        if (outcome == BaselineBook::Outcome::Drifted)
            drifted(known, task, before);
    }
    if (!known.book.known())
        co_await noBaseline(task, std::string("no ") + (m_paper ? "DEFAULT" : "CSR") +
                                      " routine of cuSPARSE could be timed on matrix " + task.target().name);
    co_return true;
}

void GpuReferences::drifted(Entry& known, const TargetTask& task, double before)
{
    const double now = known.book.best().warm.median;
    ++m_services.metrics.drifts;
    m_services.host.log(
        fmt::format("the baseline on {} drifted from {:.3g} to {:.3g} us: programs there are measured again "
                    "when asked for",
                    task.target().name, before, now));
    for (double* best : {&known.bestVerified, &known.bestSimulated})
        *best *= before > 0 ? now / before : 0;
}

Flow<> GpuReferences::noBaseline(const TargetTask& task, std::string why)
{
    const Result<double> works = co_await timeEmpty(1, true);
    if (!works) {
        const Error error{why + ", nor can an empty kernel (" + works.error().what + ")",
                          {},
                          0,
                          "run `sparserl device info`"};
        co_await m_services.host.broken(error);
    }
    Entry& known = *entry(task);
    if (!known.book.known())
        known.problem = "there is nothing to compare with: " + why;
    m_services.host.log(why);
}

void GpuReferences::countCandidate(const TargetTask& task)
{
    Entry& known = *entry(task);
    if (!known.problem.empty() || !known.book.count())
        return;
    if (known.again.exists() && !known.again.ended())
        return;
    known.again = measureBaseline(task);
    known.again.start();
}

void GpuReferences::abandon()
{
    if (!m_floorMeasured->value)
        m_floorMeasured = std::make_shared<Awaited<bool>>();
    std::erase_if(m_entries, [](const auto& e) { return !e.second->measured.value; });
    for (const auto& [key, known] : m_entries)
        known->again = {};
}

} // namespace sparserl
