// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bench.h"

#include "base/rng.h"
#include "base/time.h"
#include "evaluation/inputs.h"
#include "evaluation/oracle.h"
#include "matrix/features.h"

#include <algorithm>
#include <condition_variable>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace sparserl {

namespace {

constexpr double dropFactor = 1.5;
/// Bytes of bound plans that may wait for the device.
std::int64_t mostBytesAhead()
{
    const std::int64_t memory = std::int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return std::clamp(memory / 4, std::int64_t(1) << 30, std::int64_t(24) << 30);
}

/// A program that is ready, or why not.
struct Contender
{
    DerivedProgram derived;
    std::shared_ptr<const CompiledOwn> compiled;
    std::optional<BoundPlan> plan;
    std::string problem;
};

/// A matrix with everything that needs no device.
struct Prepared
{
    BenchMatrix about;
    Csr matrix;
    std::vector<std::vector<float>> inputs;
    std::vector<Reference> right;
    std::vector<Contender> candidates;
    std::int64_t bytes = 0;
};

std::int64_t bytesOf(const BoundPlan& plan)
{
    std::int64_t bytes = 0;
    for (const BoundBuffer& buffer : plan.buffers)
        bytes += static_cast<std::int64_t>(buffer.data.size());
    return bytes;
}

std::unique_ptr<Prepared> prepare(const ListedMatrix& listed, const BenchOptions& options,
                                  OwnPrograms& programs, const DeviceLimits& limits)
{
    auto ready = std::make_unique<Prepared>();
    BenchMatrix& about = ready->about;
    about.name = listed.name;
    about.structure = listed.structure;
    ReadOptions reading;
    reading.cancel = options.cancel;
    auto matrix = listed.load(reading);
    if (!matrix) {
        about.problem = matrix.error().sentence();
        return ready;
    }
    ready->matrix = std::move(*matrix);
    const Csr& m = ready->matrix;
    if (about.structure.empty())
        about.structure = structureClass(m);
    about.rows = m.rows;
    about.cols = m.cols;
    about.nnz = m.nnz();
    std::vector<bool> used(static_cast<std::size_t>(m.cols));
    for (const std::int32_t c : m.col)
        used[static_cast<std::size_t>(c)] = true;
    about.usedColumns = std::count(used.begin(), used.end(), true);
    if (m.nnz() == 0) {
        about.problem = "the matrix is empty";
        return ready;
    }
    Rng rng(options.seed);
    // Two inputs tell a kernel that keeps its result from one that computes it; for SpMM the second costs
    // more than it tells.
    for (int i = 0; i < (options.denseColumns > 1 ? 1 : 2); ++i) {
        ready->inputs.push_back(randomVector(std::int64_t(m.cols) * options.denseColumns, rng));
        ready->right.push_back(reference(m, ready->inputs.back(), options.denseColumns));
    }
    ready->bytes = m.bytes();
    const MatrixFeatures features = computeFeatures(m, options.denseColumns);
    for (DerivedProgram& derived :
         benchPrograms(options.task, features, options.denseColumns, options.choice)) {
        if (options.cancel.cancelled())
            break;
        Contender candidate;
        auto compiled = programs.get(derived.text);
        if (!compiled) {
            candidate.problem = compiled.error().sentence();
        } else {
            candidate.compiled = *compiled;
            auto plan = bindPlan((*compiled)->program.plan, m, options.denseColumns, limits);
            if (!plan && plan.error().kind == BindFailure::Kind::FormatError)
                continue; // does not apply to this matrix
            if (!plan)
                candidate.problem = plan.error().reason;
            else
                candidate.plan = std::move(*plan);
        }
        if (candidate.plan)
            ready->bytes += bytesOf(*candidate.plan);
        candidate.derived = std::move(derived);
        ready->candidates.push_back(std::move(candidate));
    }
    return ready;
}

/// Prepares matrices on several threads, a few ahead of the one that is asked for.
class Ahead
{
public:
    Ahead(const std::vector<ListedMatrix>& matrices, const BenchOptions& options, OwnPrograms& programs,
          DeviceLimits limits)
        : m_matrices(matrices)
        , m_options(options)
        , m_programs(programs)
        , m_limits(limits)
    {
        const int wanted =
            options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
        // One core is the device's.
        const int count =
            std::clamp(wanted - 1, 1, static_cast<int>(std::max<std::size_t>(1, matrices.size())));
        for (int i = 0; i < count; ++i)
            m_threads.emplace_back([this] { work(); });
    }
    ~Ahead()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_stop = true;
        }
        m_changed.notify_all();
        for (std::thread& thread : m_threads)
            thread.join();
    }
    /// Takes a matrix back that is done with: freeing gigabytes is no work for the device's thread.
    void give(std::unique_ptr<Prepared> done)
    {
        const std::lock_guard lock(m_mutex);
        m_done.push_back(std::move(done));
        m_changed.notify_all();
    }
    std::unique_ptr<Prepared> take(std::size_t index)
    {
        std::unique_lock lock(m_mutex);
        m_asked = index;
        m_changed.notify_all();
        m_changed.wait(lock, [&] { return m_ready.count(index) != 0; });
        auto ready = std::move(m_ready[index]);
        m_ready.erase(index);
        m_bytes -= ready->bytes;
        m_changed.notify_all();
        return ready;
    }

private:
    void work()
    {
        std::unique_lock lock(m_mutex);
        while (!m_stop && (m_next < m_matrices.size() || !m_done.empty())) {
            if (!m_done.empty()) {
                auto done = std::move(m_done.back());
                m_done.pop_back();
                lock.unlock();
                done.reset();
                lock.lock();
                continue;
            }
            // What is asked for now is always prepared, whatever waits.
            if (m_next > m_asked && (m_bytes > mostBytesAhead() || m_next > m_asked + m_threads.size() + 4)) {
                m_changed.wait(lock);
                continue;
            }
            const std::size_t index = m_next++;
            lock.unlock();
            auto ready = prepare(m_matrices[index], m_options, m_programs, m_limits);
            lock.lock();
            m_bytes += ready->bytes;
            m_ready[index] = std::move(ready);
            m_changed.notify_all();
        }
    }

    const std::vector<ListedMatrix>& m_matrices;
    const BenchOptions& m_options;
    OwnPrograms& m_programs;
    DeviceLimits m_limits;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::size_t, std::unique_ptr<Prepared>> m_ready;
    std::vector<std::unique_ptr<Prepared>> m_done;
    std::size_t m_next = 0, m_asked = 0;
    std::int64_t m_bytes = 0;
    bool m_stop = false;
    std::vector<std::thread> m_threads;
};

/// One matrix on the device.
class OneMatrix
{
public:
    OneMatrix(BenchDevice& device, Prepared& ready, const BenchOptions& options)
        : m_device(device)
        , m_ready(ready)
        , m_options(options)
    {
    }
    Status run();

private:
    BenchSampling sampling(bool full, double dropAbove) const;
    Status baselines();
    Status candidates();
    Status bestOfFamilies();
    Status final();
    /// What an Error means: the end, or (where the device still works) a problem of one thing.
    Status survived(std::string& problem, const std::string& what, const Error& error) const;
    BenchRow rowOf(const Contender& candidate) const;
    /// Empty: right.
    std::string compareOutputs(const std::vector<std::vector<float>>& outputs) const;
    void fill(BenchRow& row, const BenchTimes& times) const;

    BenchDevice& m_device;
    Prepared& m_ready;
    const BenchOptions& m_options;
    std::vector<std::pair<std::size_t, std::size_t>> m_timed; ///< Row, candidate.
    /// Warm, of programs only: where all are far behind the baseline, the best of them still counts.
    double m_best = 0;
};

BenchSampling OneMatrix::sampling(bool full, double dropAbove) const
{
    BenchSampling sampling;
    sampling.samples = full ? m_options.samples : m_options.quickSamples;
    sampling.cold = full && m_options.cold;
    sampling.dropAbove = dropAbove;
    sampling.seed = m_options.seed;
    sampling.cancel = m_options.cancel;
    return sampling;
}

Status OneMatrix::survived(std::string& problem, const std::string& what, const Error& error) const
{
    if (!m_device.usable() || m_options.cancel.cancelled())
        return fail(fmt::format("{}, {}: {}", m_ready.about.name, what, error.what), error.remedy);
    problem = error.sentence();
    return {};
}

std::string OneMatrix::compareOutputs(const std::vector<std::vector<float>>& outputs) const
{
    if (outputs.size() != m_ready.right.size())
        return fmt::format("{} outputs instead of {}", outputs.size(), m_ready.right.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (const auto wrong = firstWrong(outputs[i], m_ready.right[i], false))
            return fmt::format("wrong result: row {} is {}, should be {}", wrong->row, wrong->got,
                               wrong->expected);
    }
    return {};
}

void OneMatrix::fill(BenchRow& row, const BenchTimes& times) const
{
    row.warm = times.warm;
    row.cold = times.cold;
    row.setupMicroseconds = times.setupMicroseconds;
    row.dropped = times.dropped;
    row.clocksAgree = times.clocksAgree;
    row.occupancy = times.occupancy;
    if (times.fault)
        row.problem = times.fault->message;
    else if (!times.dropped)
        row.problem = compareOutputs(times.outputs);
}

Status OneMatrix::baselines()
{
    auto timings = m_device.baselines(m_options.baselines, sampling(true, 0), [&](std::string_view sentence) {
        if (m_options.log)
            m_options.log(fmt::format("{}: {}", m_ready.about.name, sentence));
    });
    if (!timings)
        return survived(m_ready.about.problem, "baselines", timings.error());
    for (const BaselineTiming& timing : *timings) {
        BenchRow row;
        row.baseline = true;
        row.family = timing.library;
        row.variant = timing.algorithm;
        row.csr = timing.csr;
        row.warm = timing.warm;
        row.cold = timing.cold;
        row.dropped = timing.warm.n == 1 && m_options.samples > 1 && !timing.cold;
        row.setupMicroseconds = timing.setupMicroseconds;
        m_ready.about.table.push_back(std::move(row));
    }
    return {};
}

BenchRow OneMatrix::rowOf(const Contender& candidate) const
{
    BenchRow row;
    row.family = candidate.derived.family;
    row.variant = parametersJson(candidate.derived.parameters);
    row.problem = candidate.problem;
    row.text = candidate.derived.text;
    if (candidate.plan) {
        row.conversionMicroseconds = 1e6 * candidate.plan->conversionSeconds;
        row.setupBytes = candidate.plan->setupBytes;
        const auto launches = std::count_if(candidate.plan->launches.begin(), candidate.plan->launches.end(),
                                            [](const BoundCall& call) { return !call.skipped; });
        const BenchMatrix& m = m_ready.about;
        row.floorMicroseconds = m_device.floorMicroseconds(
            static_cast<int>(launches), 4 * m.nnz + 4 * m_options.denseColumns * (m.usedColumns + m.rows));
    }
    return row;
}

Status OneMatrix::candidates()
{
    std::vector<BenchRow>& table = m_ready.about.table;
    for (std::size_t c = 0; c < m_ready.candidates.size(); ++c) {
        if (m_options.cancel.cancelled())
            return fail("the benchmark was cancelled");
        const Contender& candidate = m_ready.candidates[c];
        BenchRow row = rowOf(candidate);
        if (candidate.plan) {
            auto times = m_device.time({candidate.compiled.get(), &*candidate.plan},
                                       sampling(false, m_best > 0 ? dropFactor * m_best : 0));
            if (!times) {
                if (auto ok = survived(row.problem, row.family + " " + row.variant, times.error()); !ok)
                    return ok;
            } else {
                fill(row, *times);
            }
            if (row.problem.empty()) {
                m_timed.emplace_back(table.size(), c);
                if (!row.dropped && (m_best == 0 || row.warm.median < m_best))
                    m_best = row.warm.median;
            }
        }
        if (!row.problem.empty() && m_options.log)
            m_options.log(
                fmt::format("{}, {} {}: {}", m_ready.about.name, row.family, row.variant, row.problem));
        table.push_back(std::move(row));
    }
    return {};
}

Status OneMatrix::bestOfFamilies()
{
    std::vector<BenchRow>& table = m_ready.about.table;
    std::map<std::string, std::pair<std::size_t, std::size_t>> best;
    for (const auto& entry : m_timed) {
        const BenchRow& row = table[entry.first];
        if (row.dropped)
            continue;
        const auto [at, fresh] = best.try_emplace(row.family, entry);
        if (!fresh && row.warm.median < table[at->second.first].warm.median)
            at->second = entry;
    }
    BenchRow* fastest = nullptr;
    for (const auto& [family, entry] : best) {
        const Contender& candidate = m_ready.candidates[entry.second];
        BenchRow& row = table[entry.first];
        auto times = m_device.time({candidate.compiled.get(), &*candidate.plan}, sampling(true, 0));
        if (!times) {
            if (auto ok = survived(row.problem, row.family + " " + row.variant, times.error()); !ok)
                return ok;
            continue;
        }
        fill(row, *times);
        row.bestOfFamily = row.problem.empty();
        if (row.bestOfFamily && (!fastest || row.warm.median < fastest->warm.median))
            fastest = &row;
    }
    if (fastest)
        fastest->best = true;
    return {};
}

Status OneMatrix::final()
{
    BenchMatrix& about = m_ready.about;
    const BenchRow *program = about.bestProgram(), *baseline = about.bestBaseline();
    if (!program || !baseline)
        return {};
    for (const auto& [row, candidate] : m_timed) {
        if (&about.table[row] != program)
            continue;
        const Contender& one = m_ready.candidates[candidate];
        BaselineTiming against;
        against.library = baseline->family;
        against.algorithm = baseline->variant;
        against.warm = baseline->warm;
        auto both = m_device.compare({one.compiled.get(), &*one.plan}, against, sampling(true, 0));
        if (!both)
            return survived(about.problem, "in turn with the baseline", both.error());
        std::string problem = both->fault ? both->fault->message : compareOutputs(both->outputs);
        both->outputs.clear();
        if (problem.empty())
            about.final = std::move(*both);
        else
            about.problem = fmt::format("in turn with the baseline: {}", problem);
    }
    return {};
}

Status OneMatrix::run()
{
    const double begin = monotonicSeconds();
    std::vector<std::span<const float>> inputs(m_ready.inputs.begin(), m_ready.inputs.end());
    if (auto ok = m_device.begin(m_ready.matrix, m_options.denseColumns, inputs); !ok)
        return ok;
    for (auto step :
         {&OneMatrix::baselines, &OneMatrix::candidates, &OneMatrix::bestOfFamilies, &OneMatrix::final}) {
        if (auto ok = (this->*step)(); !ok)
            return ok;
    }
    m_ready.about.seconds = monotonicSeconds() - begin;
    return {};
}

} // namespace

const BenchRow* BenchMatrix::bestProgram() const
{
    for (const BenchRow& row : table) {
        if (row.best)
            return &row;
    }
    return nullptr;
}

const BenchRow* BenchMatrix::bestBaseline() const
{
    const BenchRow* best = nullptr;
    for (const BenchRow& row : table) {
        if (row.baseline && row.csr && !row.dropped && (!best || row.warm.median < best->warm.median))
            best = &row;
    }
    return best;
}

double BenchMatrix::speedup() const
{
    if (final)
        return final->speedup.median;
    const BenchRow *program = bestProgram(), *baseline = bestBaseline();
    return program && baseline ? baseline->warm.median / program->warm.median : 0;
}

Status runBench(BenchDevice& device, const std::vector<ListedMatrix>& matrices, const BenchOptions& options,
                const std::function<Status(const BenchMatrix&)>& take)
{
    auto programs = OwnPrograms::create(device.architecture());
    if (!programs)
        return fail(programs.error());
    Ahead ahead(matrices, options, **programs, device.limits());
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        if (options.cancel.cancelled())
            return fail("the benchmark was cancelled");
        if (options.progress)
            options.progress(static_cast<double>(i) / static_cast<double>(matrices.size()), matrices[i].name);
        auto ready = ahead.take(i);
        if (ready->about.problem.empty()) {
            if (auto ok = OneMatrix(device, *ready, options).run(); !ok)
                return ok;
        }
        if (auto ok = take(ready->about); !ok)
            return ok;
        ahead.give(std::move(ready));
    }
    return {};
}

} // namespace sparserl
