// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bench/bench_ahead.h"

#include "base/rng.h"
#include "evaluation/cases/input_kinds.h"
#include "matrix/features.h"
#include "matrix/sizes.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace sparserl {

namespace {

/// Bytes of bound plans that may wait for the device.
std::int64_t mostBytesAhead()
{
    const std::int64_t memory = std::int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return std::clamp(memory / 4, std::int64_t(1) << 30, std::int64_t(24) << 30);
}

std::int64_t bytesOf(const BoundPlan& plan)
{
    std::int64_t bytes = 0;
    for (const BoundBuffer& buffer : plan.buffers)
        bytes += static_cast<std::int64_t>(buffer.data.size());
    return bytes;
}

std::unique_ptr<BenchPrepared> prepare(const ListedMatrix& listed, const BenchOptions& options,
                                       OwnPrograms& programs, const DeviceLimits& limits)
{
    auto ready = std::make_unique<BenchPrepared>();
    BenchMatrix& about = ready->about;
    about.name = listed.name;
    about.structure = listed.structure;
    ReadOptions reading;
    reading.cancel = options.cancel;
    reading.doubles = options.variant.type != ElementType::F32;
    reading.onWarning = [&about](const MatrixWarning& warning) { about.warnings.push_back(warning); };
    auto matrix = listed.load(reading);
    if (!matrix) {
        about.problem = matrix.error().sentence();
        about.unread = matrix.error();
        return ready;
    }
    ready->matrix = std::move(*matrix);
    const Csr& m = ready->matrix;
    if (about.structure.empty())
        about.structure = structureClass(m);
    about.sizes = allSizesOf(m);
    if (m.nnz() == 0) {
        about.problem = "the matrix is empty";
        return ready;
    }
    const MatrixFeatures features = computeFeatures(m, options.variant.columns);
    if (m.type != options.variant.type) // Features are of the matrix as it was read.
        ready->matrix = inType(m, options.variant.type);
    Rng rng(options.seed);
    const InputRange range = InputRange::of(m);
    // Two inputs tell a kernel that keeps its result from one that computes it; for SpMM the second costs
    // more than it tells.
    for (int i = 0; i < (options.variant.columns > 1 ? 1 : 2); ++i) {
        ready->inputs.push_back(makeInput(InputKind::Random, range, options.variant.columns, rng).x);
        ready->right.push_back(reference(m, ready->inputs.back(), options.variant.columns));
    }
    ready->bytes = m.bytes();
    for (const Candidate& candidate : recommend(options.variant.task(), features, options.choice.model,
                                                options.variant.columns, options.variant.type))
        about.reasons.emplace(candidate.family, candidate.reason); // the best of each comes first
    for (DerivedProgram& derived : benchPrograms(options.variant.task(), features, options.variant.columns,
                                                 options.choice, options.variant.type)) {
        if (options.cancel.cancelled())
            break;
        BenchCandidate candidate;
        auto compiled = programs.get(derived.text);
        if (!compiled) {
            candidate.problem = compiled.error().sentence();
        } else {
            candidate.compiled = *compiled;
            auto plan = bindPlan((*compiled)->program.plan, {m, options.variant}, limits);
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

/// A matrix that was not prepared.
std::unique_ptr<BenchPrepared> outOfMemory(const ListedMatrix& listed)
{
    auto ready = std::make_unique<BenchPrepared>();
    ready->about.name = listed.name;
    ready->about.structure = listed.structure;
    ready->about.problem = "memory ran out while it was prepared";
    return ready;
}

/// Exceptions must not leave a thread.
std::unique_ptr<BenchPrepared> tryToPrepare(const ListedMatrix& listed, const BenchOptions& options,
                                            OwnPrograms& programs, const DeviceLimits& limits)
{
    try {
        return prepare(listed, options, programs, limits);
    } catch (const std::bad_alloc&) {
        return outOfMemory(listed);
    } catch (const std::length_error&) { // A container asked for more than any memory has.
        return outOfMemory(listed);
    }
}

} // namespace

BenchAhead::BenchAhead(const std::vector<ListedMatrix>& matrices, const BenchOptions& options,
                       OwnPrograms& programs, DeviceLimits limits)
    : m_matrices(matrices)
    , m_options(options)
    , m_programs(programs)
    , m_limits(limits)
{
    const int wanted =
        options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    // One core is the device's.
    const int count = std::clamp(wanted - 1, 1, static_cast<int>(std::max<std::size_t>(1, matrices.size())));
    m_window = static_cast<std::size_t>(count) + 4;
    m_threads.reserve(static_cast<std::size_t>(count));
    try {
        for (int i = 0; i < count; ++i)
            m_threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
        if (m_threads.empty())
            throw; // Else as many threads as this user may have.
    }
}

BenchAhead::~BenchAhead()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

void BenchAhead::give(std::unique_ptr<BenchPrepared> done)
{
    const std::lock_guard lock(m_mutex);
    m_done.push_back(std::move(done));
    m_changed.notify_all();
}

std::unique_ptr<BenchPrepared> BenchAhead::take(std::size_t index)
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

void BenchAhead::work()
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
        if (m_next > m_asked && (m_bytes > mostBytesAhead() || m_next > m_asked + m_window)) {
            m_changed.wait(lock);
            continue;
        }
        const std::size_t index = m_next++;
        lock.unlock();
        auto ready = tryToPrepare(m_matrices[index], m_options, m_programs, m_limits);
        lock.lock();
        m_bytes += ready->bytes;
        m_ready[index] = std::move(ready);
        m_changed.notify_all();
    }
}

} // namespace sparserl
