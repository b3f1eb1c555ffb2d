// SPDX-License-Identifier: Apache-2.0
#include "evaluation/stages/gpu_references.h"

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

GpuReferences::GpuReferences(const StageServices& services, const GpuInfo& info, bool paper)
    : m_services(services)
    , m_paper(paper)
    , m_floor(GpuFloor::of(info))
{
}

GpuReferences::Entry& GpuReferences::entry(const TargetTask& task)
{
    auto& place = m_entries[task.target().key()];
    if (!place) {
        place = std::make_shared<Entry>();
        place->book = BaselineBook(m_paper);
    }
    return *place;
}

const GpuReferences::Entry* GpuReferences::find(const TargetTask& task) const
{
    const auto found = m_entries.find(task.target().key());
    return found == m_entries.end() ? nullptr : found->second.get();
}

void GpuReferences::ready(const TargetTask& task, std::function<void()> next)
{
    if (!m_floorMeasured->started) {
        m_floorMeasured->started = true;
        measureFloor();
    }
    Entry& known = entry(task);
    if (!known.measured.started) {
        known.measured.started = true;
        measureBaseline(task, 1);
    }
    m_floorMeasured->then(
        [kept = m_entries[task.target().key()], next = std::move(next)] { kept->measured.then(next); });
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
    double& best = entry(task).bestVerified;
    best = best > 0 ? std::min(best, microseconds) : microseconds;
}

bool GpuReferences::wouldBeFastest(const TargetTask& task, double microseconds) const
{
    const Entry* known = find(task);
    return !known || known->bestSimulated == 0 || microseconds < known->bestSimulated;
}

void GpuReferences::simulated(const TargetTask& task, double microseconds)
{
    double& best = entry(task).bestSimulated;
    best = best > 0 ? std::min(best, microseconds) : microseconds;
}

void GpuReferences::control(const Control::Finished& finished)
{
    timeEmpty(1, true, [finished](const Result<double>& time) {
        finished(time ? Status{} : Status(fail(time.error())));
    });
}

void GpuReferences::measureFloor()
{
    constexpr int several = 5;
    measureLaunches(1, [this](double one) {
        measureLaunches(several, [this, one](double all) {
            m_floor.launchMicroseconds = one;
            m_floor.nextLaunchMicroseconds = std::max(0.0, (all - one) / (several - 1));
            m_services.log(
                fmt::format("an empty call takes {:.2f} us on the GPU, every further launch {:.2f} us", one,
                            m_floor.nextLaunchMicroseconds));
            m_floorMeasured->set(true);
        });
    });
}

void GpuReferences::measureLaunches(int launches, std::function<void(double)> found)
{
    timeEmpty(launches, false, [this, found = std::move(found)](const Result<double>& time) {
        if (time)
            found(*time);
        else
            m_services.breakDown(
                Error{"an empty kernel cannot be timed on the GPU: " + time.error().sentence(),
                      {},
                      0,
                      "run `sparserl device info`"});
    });
}

void GpuReferences::timeEmpty(int launches, bool fresh, std::function<void(Result<double>)> found)
{
    m_services.compileOwn(emptyProgram(launches), [this, fresh,
                                                   found = std::move(found)](const auto& program) {
        const ProgramState& state = *program->value;
        if (state.failure)
            return found(fail("an empty kernel does not compile: " + state.failure->message));
        const SharedMatrix& matrix = m_services.simulation.smallMatrix();
        const auto count = static_cast<std::uint64_t>(matrix.matrix->cols);
        auto memory = SharedBuffer::create(64);
        auto vectors = SharedBuffer::create(4 * count);
        if (!memory || !vectors)
            return found(fail(memory ? vectors.error() : memory.error()));
        if (const auto sealed = vectors->seal(); !sealed)
            return found(fail(sealed.error()));
        GpuJob job;
        job.program = state.program.text;
        job.ptx = state.compiled.ptx;
        job.cubin = state.compiled.cubin;
        job.timing.emplace();
        job.timing->matrix = matrix.key;
        job.timing->inputsKey = std::string(inputsKeyPrefix) + "floor";
        job.timing->ring = {{0, count}};
        job.timing->cold = false;
        PoolJob work;
        work.role = RunnerRole::Cuda;
        work.body = toJson(job);
        work.memory = std::make_shared<SharedBuffer>(std::move(*memory));
        work.matrices = {{matrix.key, matrix.buffer},
                         {job.timing->inputsKey, std::make_shared<SharedBuffer>(std::move(*vectors))}};
        work.wallSeconds = wallSeconds;
        work.fresh = work.urgent = fresh;
        work.done = [this, found](const JobOutcome& outcome) {
            const auto answer = outcome.kind == JobOutcome::Kind::Answered ? gpuAnswerFromJson(outcome.answer)
                                                                           : fail(outcome.reason);
            if (!answer)
                return found(fail(answer.error()));
            if (!answer->timing || answer->timing->fault)
                return found(fail(answer->timing ? answer->timing->fault->message : "nothing was timed"));
            m_services.metrics.gpuBusySeconds += answer->busySeconds;
            m_services.metrics.measuringSeconds += answer->timing->measuringSeconds;
            found(answer->timing->warm.median);
        };
        m_services.pool.submit(std::move(work));
    });
}

void GpuReferences::measureBaseline(const TargetTask& task, int attempt)
{
    BaselineJob job;
    job.matrix = task.context->own().key;
    job.denseColumns = task.columns();
    job.set = m_paper ? BaselineSet::AllFormats : BaselineSet::Csr;
    job.cold = false;
    job.meanCalls = m_paper ? 1000 : 0;
    job.seed = m_services.options.secret();
    PoolJob work;
    work.role = RunnerRole::Cuda;
    work.body = toJson(job);
    work.matrices = {{task.context->own().key, task.context->own().buffer}};
    work.wallSeconds = wallSeconds;
    work.done = [this, task, attempt](const JobOutcome& outcome) {
        const auto answer = outcome.kind == JobOutcome::Kind::Answered
                                ? baselineAnswerFromJson(outcome.answer)
                                : fail(outcome.reason);
        if (!answer) {
            if (attempt < maxAttempts)
                return measureBaseline(task, attempt + 1);
            return noBaseline(task, "cuSPARSE cannot be timed on matrix " + task.target().name + ": " +
                                        answer.error().what);
        }
        m_services.metrics.gpuBusySeconds += answer->busySeconds;
        ++m_services.metrics.baselines;
        baselineArrived(task, answer->timings);
    };
    m_services.pool.submit(std::move(work));
}

void GpuReferences::baselineArrived(const TargetTask& task, const std::vector<BaselineTiming>& timings)
{
    Entry& known = entry(task);
    const double before = known.book.best().warm.median;
    switch (known.book.add(timings)) {
    case BaselineBook::Outcome::Again:
        measureBaseline(task, 1);
        return;
    case BaselineBook::Outcome::Drifted: {
        const double now = known.book.best().warm.median;
        ++m_services.metrics.drifts;
        m_services.log(
            fmt::format("the baseline on {} drifted from {:.3g} to {:.3g} us: programs there are measured "
                        "again when asked for",
                        task.target().name, before, now));
        for (double* best : {&known.bestVerified, &known.bestSimulated})
            *best *= before > 0 ? now / before : 0;
        break;
    }
    case BaselineBook::Outcome::First:
    case BaselineBook::Outcome::Stable:
        break;
    }
    if (!known.book.known()) {
        return noBaseline(task, std::string("no ") + (m_paper ? "DEFAULT" : "CSR") +
                                    " routine of cuSPARSE could be timed on matrix " + task.target().name);
    }
    if (!known.measured.value)
        known.measured.set(true);
}

void GpuReferences::noBaseline(const TargetTask& task, const std::string& why)
{
    timeEmpty(1, true, [this, task, why](const Result<double>& works) {
        if (!works) {
            m_services.breakDown(Error{why + ", nor can an empty kernel (" + works.error().what + ")",
                                       {},
                                       0,
                                       "run `sparserl device info`"});
            return;
        }
        Entry& known = entry(task);
        if (!known.book.known())
            known.problem = "there is nothing to compare with: " + why;
        m_services.log(why);
        if (!known.measured.value)
            known.measured.set(true);
    });
}

void GpuReferences::countCandidate(const TargetTask& task)
{
    Entry& known = entry(task);
    if (known.problem.empty() && known.book.count())
        measureBaseline(task, 1);
}

void GpuReferences::abandon()
{
    if (!m_floorMeasured->value) {
        m_floorMeasured->abandon();
        m_floorMeasured = std::make_shared<Awaited<bool>>();
    }
    std::erase_if(m_entries, [](const auto& e) {
        e.second->measured.abandon();
        return !e.second->measured.value;
    });
}

} // namespace sparserl
