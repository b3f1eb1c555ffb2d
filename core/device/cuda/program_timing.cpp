// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/program_timing.h"

#include "base/rng.h"
#include "device/cuda/hardware_counters.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::cuda {

using Refusal = Result<std::optional<Fault>>;

bool ProgramTimer::take(std::optional<Fault> fault)
{
    if (!fault)
        return true;
    m_result.fault = std::move(fault);
    return false;
}

/// Everything that can be refused before a launch; the occupancy on the way.
Result<bool> ProgramTimer::accept()
{
    for (const auto* calls : {&m_plan.prepares, &m_plan.launches}) {
        for (const BoundCall& call : *calls) {
            if (call.skipped) {
                if (calls == &m_plan.launches)
                    m_result.occupancy.emplace_back();
                continue;
            }
            if (!take(m_program.problem(call)))
                return false;
            if (calls != &m_plan.launches)
                continue;
            auto occupancy = m_program.occupancy(call);
            if (!occupancy)
                return fail(occupancy.error());
            m_result.occupancy.push_back(std::move(*occupancy));
        }
    }
    return true;
}

Status ProgramTimer::fillRing()
{
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        if (m_plan.buffers[b].role != BufferRole::Input)
            continue;
        const int ring = static_cast<int>(m_request.ring.size());
        for (int slot = 0; slot < ringSlots; ++slot) {
            const int index = static_cast<int>(b);
            const Status ok =
                slot < ring ? m_arena.upload(index, slot, m_request.ring[static_cast<std::size_t>(slot)])
                            : m_arena.repeat(index, slot % ring, slot);
            if (!ok)
                return ok;
        }
    }
    return {};
}

Status ProgramTimer::reset()
{
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        const BoundBuffer& buffer = m_plan.buffers[b];
        const int index = static_cast<int>(b);
        if (buffer.role == BufferRole::Scratch && !buffer.zero) {
            if (auto ok = m_arena.poison(index, 0, m_request.seed + b); !ok)
                return ok;
        }
        for (int slot = 0; buffer.role == BufferRole::Output && slot < ringSlots; ++slot) {
            if (auto ok = m_arena.poison(index, slot, m_request.seed + b + 100 * (std::uint64_t(slot) + 1));
                !ok)
                return ok;
        }
    }
    return {};
}

Refusal ProgramTimer::enqueue(const std::vector<BoundCall>& calls, int slot)
{
    for (const BoundCall& call : calls) {
        auto refused = m_program.enqueue(call, m_arena, slot);
        if (!refused || *refused)
            return refused;
    }
    return std::nullopt;
}

/// One call as the plan asks for it: zeroing is part of it, poisoning is not.
Refusal ProgramTimer::call(int slot)
{
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        const BoundBuffer& buffer = m_plan.buffers[b];
        if (!buffer.zero || (buffer.role != BufferRole::Scratch && buffer.role != BufferRole::Output))
            continue;
        if (auto ok = m_arena.zero(static_cast<int>(b), slot); !ok)
            return fail(ok.error());
    }
    return enqueue(m_plan.launches, slot);
}

Result<bool> ProgramTimer::settled()
{
    auto fault = m_gpu.settle(1e-6 * m_request.limitMicroseconds);
    if (!fault)
        return fail(fault.error());
    return take(std::move(*fault));
}

Status ProgramTimer::poisonPrepared(std::uint64_t seed)
{
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        if (m_plan.buffers[b].role != BufferRole::Prepared)
            continue;
        if (auto ok = m_arena.poison(static_cast<int>(b), 0, seed + b); !ok)
            return ok;
    }
    return {};
}

/// Runs the prepare kernels twice on poisoned buffers: the first time loads their code, the second is timed,
/// as a graph like everything else.
Result<bool> ProgramTimer::prepare()
{
    if (auto ok = poisonPrepared(m_request.seed); !ok)
        return fail(ok.error());
    if (std::all_of(m_plan.prepares.begin(), m_plan.prepares.end(),
                    [](const BoundCall& c) { return c.skipped; }))
        return true;
    auto refused = enqueue(m_plan.prepares, 0);
    if (!refused)
        return fail(refused.error());
    if (!take(std::move(*refused)))
        return false;
    auto good = settled();
    if (!good || !*good)
        return good;
    auto graph = Graph::capture(m_gpu, [&] { return enqueue(m_plan.prepares, 0); });
    auto events = Events::make(m_gpu, 2);
    if (!graph || !events)
        return fail(graph ? events.error() : graph.error());
    if (auto ok = poisonPrepared(m_request.seed); !ok)
        return fail(ok.error());
    for (const Status& ok : {events->record(0), graph->launch(), events->record(1)}) {
        if (!ok)
            return fail(ok.error());
    }
    good = settled();
    if (!good || !*good)
        return good;
    auto time = events->microseconds(0, 1);
    if (!time)
        return fail(time.error());
    m_result.setupMicroseconds = *time;
    return true;
}

Result<bool> ProgramTimer::inspect()
{
    auto broken = m_arena.brokenZone();
    if (!broken)
        return fail(broken.error());
    std::optional<Fault> fault;
    if (*broken) {
        fault = Fault{FaultKind::OutOfBounds, std::move(**broken), {}, 0, {}, {}};
    } else {
        auto changed = m_arena.changedReadOnly();
        if (!changed)
            return fail(changed.error());
        if (*changed)
            fault = Fault{FaultKind::OutOfBounds,
                          fmt::format("a write to '{}', which may only be read here", **changed),
                          {},
                          0,
                          {},
                          {}};
    }
    return take(std::move(fault));
}

Status ProgramTimer::collect()
{
    Rng rng(m_request.seed);
    const int ring = static_cast<int>(m_request.ring.size());
    for (int i = 0; i < ring; ++i) {
        // Of the slots with this input any may be looked at.
        const int copies = (ringSlots - i + ring - 1) / ring;
        const int slot = i + ring * static_cast<int>(rng.below(static_cast<std::uint64_t>(copies)));
        std::vector<float>& output = m_result.outputs.emplace_back();
        for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
            if (m_plan.buffers[b].role != BufferRole::Output)
                continue;
            if (auto ok = m_arena.download(static_cast<int>(b), slot, output); !ok)
                return ok;
        }
    }
    return {};
}

TimedWork ProgramTimer::work()
{
    TimedWork work;
    work.call = [this](int slot) { return call(slot); };
    work.reset = [this] { return reset(); };
    return work;
}

SamplingOptions ProgramTimer::sampling() const
{
    SamplingOptions options;
    options.samples = m_request.samples;
    options.sampleMicroseconds = m_request.sampleMicroseconds;
    options.cold = m_request.cold;
    options.limitMicroseconds = m_request.limitMicroseconds;
    options.dropAbove = m_request.dropAbove;
    options.seed = m_request.seed;
    options.cancel = m_request.cancel;
    return options;
}

Result<std::optional<Fault>> ProgramTimer::start()
{
    auto good = accept();
    if (good && *good)
        good = prepare();
    if (!good)
        return fail(good.error());
    if (!*good)
        return m_result.fault;
    for (const Status& ok : {fillRing(), reset(), m_arena.noteReadOnly(true)}) {
        if (!ok)
            return fail(ok.error());
    }
    return std::nullopt;
}

void ProgramTimer::count()
{
    if (!m_request.counters) {
        m_result.countersMissing = "Hardware counters were not asked for.";
        return;
    }
    auto counters = collectCounters(
        m_gpu, [this] { return call(0); }, 1e-6 * m_request.limitMicroseconds);
    if (counters)
        m_result.counters = *counters;
    else
        m_result.countersMissing = counters.error().sentence();
}

Result<Measurement> ProgramTimer::finish()
{
    const double begin = now();
    count();
    if (m_gpu.poisoned())
        return fail("the GPU failed while a program was counted: " + m_result.countersMissing);
    auto good = inspect();
    if (!good)
        return fail(good.error());
    if (*good) {
        if (auto ok = collect(); !ok)
            return fail(ok.error());
    }
    m_result.phases.checks = now() - begin;
    m_result.measuringSeconds = now() - m_begin;
    return std::move(m_result);
}

Result<Measurement> ProgramTimer::run()
{
    auto fault = start();
    if (!fault)
        return fail(fault.error());
    if (*fault)
        return std::move(m_result);
    m_started = now();
    auto samples = sample(m_gpu, work(), sampling());
    if (!samples)
        return fail(samples.error());
    m_result.warm = samples->warm;
    m_result.cold = samples->cold;
    m_result.wallMicroseconds = samples->wallMicroseconds;
    m_result.clocksAgree = samples->clocksAgree;
    m_result.dropped = samples->dropped;
    m_result.phases.first = m_started - m_begin + samples->firstSeconds;
    m_result.phases.warm = samples->warmSeconds;
    m_result.phases.cold = samples->coldSeconds;
    if (!take(std::move(samples->fault)) || m_result.dropped) {
        m_result.measuringSeconds = now() - m_begin;
        return std::move(m_result);
    }
    return finish();
}

Result<std::unique_ptr<ProgramTimer>> ProgramTimer::make(Gpu& gpu, const MeasureRequest& request)
{
    const double begin = now();
    if (!request.plan || !request.module)
        return fail("a measurement needs a plan and a module");
    if (request.ring.empty() || request.ring.size() > ringSlots)
        return fail(fmt::format("a measurement needs 1 to {} inputs", ringSlots));
    if (request.samples < 1 || !(request.sampleMicroseconds > 0) || !(request.limitMicroseconds > 0))
        return fail("a measurement needs at least one sample, and lengths above 0");
    if (auto ok = gpu.begin(); !ok)
        return fail(ok.error());
    auto program = LoadedProgram::load(gpu, *request.plan, *request.module, request.cubin);
    if (!program)
        return fail(program.error());
    auto arena = Arena::make(gpu, *request.plan, ringSlots, request.seed);
    if (!arena)
        return fail(arena.error());
    std::unique_ptr<ProgramTimer> timer(
        new ProgramTimer(gpu, request, std::move(*program), std::move(*arena)));
    timer->m_result.phases.load = now() - begin;
    return timer;
}

Result<Measurement> measureProgram(Gpu& gpu, const MeasureRequest& request)
{
    auto timer = ProgramTimer::make(gpu, request);
    if (!timer)
        return fail(timer.error());
    return (*timer)->run();
}

} // namespace sparserl::cuda
