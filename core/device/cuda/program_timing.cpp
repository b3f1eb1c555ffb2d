// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/program_timing.h"

#include "base/rng.h"
#include "device/cuda/hardware_counters.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sparserl::cuda {

using Refusal = Result<std::optional<Fault>>;

namespace {

/// Outputs are as many as lie in a part of L2 together, so that of more calls it can be seen what they left;
/// but at least a round, as library routines have.
constexpr std::int64_t outputShareOfL2 = 8;
/// Copies of scratch memory for the calls of a sample: as many as lie in a part of L2 together, so that what
/// a call finds there is as warm as if there were one, and some in any case.
constexpr std::int64_t scratchShareOfL2 = 4;
constexpr std::int64_t fewestCopies = 8;
constexpr std::int64_t mostCopiedBytes = std::int64_t(2) << 30;

/// Memory of the comparison: the matrix and the inputs once more.
double comparisonBytes(const MeasureRequest& request)
{
    if (!request.compare)
        return 0;
    const Csr& matrix = *request.compare->matrix;
    return static_cast<double>(matrix.bytes()) + static_cast<double>(sizeOf(matrix.type)) * ringSlots *
                                                     static_cast<double>(request.compare->columns) *
                                                     static_cast<double>(matrix.cols);
}

} // namespace

ArenaShape timedShape(const BoundPlan& plan, const GpuInfo& info)
{
    ArenaShape shape{ringSlots, ringWindows, mostPlaces, mostPlaces};
    std::int64_t bytes = 0, outputBytes = 1;
    for (const BoundBuffer& buffer : plan.buffers) {
        const std::int64_t size = std::max<std::int64_t>(buffer.bytes(), 0);
        bytes += buffer.role == BufferRole::Scratch && !buffer.zero ? size : 0;
        outputBytes += buffer.role == BufferRole::Output ? size : 0;
    }
    shape.outputs = static_cast<int>(
        std::clamp<std::int64_t>(info.l2Bytes / outputShareOfL2 / outputBytes, ringSlots, mostPlaces));
    if (bytes == 0)
        return shape;
    const std::int64_t warm = std::max(fewestCopies, info.l2Bytes / scratchShareOfL2 / bytes);
    const std::int64_t possible = std::max<std::int64_t>(2, mostCopiedBytes / bytes);
    shape.copies = static_cast<int>(std::min({warm, possible, std::int64_t(mostPlaces)}));
    return shape;
}

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
            SPARSERL_TRY(auto occupancy, m_program.occupancy(call));
            m_result.occupancy.push_back(std::move(occupancy));
        }
    }
    return true;
}

Status ProgramTimer::fillRing()
{
    Rng rng(m_request.seed ^ 0xc3a5c85c97cb3127ull);
    const bool plain = m_request.observe && m_request.observe->control == ObserveRequest::Control::Signs;
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        if (m_plan.buffers[b].role != BufferRole::Input)
            continue;
        const int ring = static_cast<int>(m_request.ring.size());
        for (int slot = 0; slot < ringSlots; ++slot) {
            const int index = static_cast<int>(b);
            if (slot >= ring) {
                SPARSERL_CHECK(m_arena.repeat(index, slot % ring, slot));
                continue;
            }
            SPARSERL_TRY(const auto tensor,
                         inputOf(m_plan.buffers[b], m_request.ring[static_cast<std::size_t>(slot)]));
            const Place place{slot, static_cast<int>(rng.below(ringWindows)), 0, 0};
            SPARSERL_CHECK(m_arena.upload(index, place, tensor.bytes, plain ? 0 : rng.next() | 1));
        }
    }
    return {};
}

Status ProgramTimer::prepareSamples(std::shared_ptr<const OracleMatrix>& kept)
{
    SPARSERL_TRY(auto renewal, Renewal::make(m_gpu, m_arena.writable(), m_arena.inputs(), m_request.seed));
    m_renewal.emplace(std::move(renewal));
    if (!m_request.compare)
        return {};
    SPARSERL_TRY(auto matrix, OracleMatrix::of(m_gpu, kept, m_request.compare->matrix));
    SPARSERL_TRY(auto oracle, TimedOracle::make(m_gpu, std::move(matrix), *m_request.compare,
                                                m_arena.inputs(), m_request.ring, m_renewal->seed(),
                                                m_request.seed ^ 0x6a09e667f3bcc909ull));
    m_oracle.emplace(std::move(oracle));
    if (m_request.observe) {
        SPARSERL_TRY(auto observer, Observer::make(m_gpu));
        m_observer.emplace(std::move(observer));
    }
    return {};
}

/// Of the calls of a sequence, those are looked at whose output no later one overwrites.
Result<int> ProgramTimer::watch(std::span<const Place> places, std::size_t first, std::size_t count)
{
    const auto output = std::find_if(m_plan.buffers.begin(), m_plan.buffers.end(),
                                     [](const auto& b) { return b.role == BufferRole::Output; });
    std::map<int, const Place*> last;
    for (const Place& place : places)
        last[place.output] = &place;
    std::vector<TimedOracle::Look> looks;
    const InputRanges inputs = m_arena.inputs();
    const auto windowElements =
        inputs.ranges.empty() ? 0 : Arena::windowBytes / static_cast<int>(sizeOf(inputs.type));
    for (const auto& [number, place] : last) {
        if (output == m_plan.buffers.end())
            break;
        const auto index = static_cast<int>(output - m_plan.buffers.begin());
        looks.push_back({m_arena.address(index, *place), static_cast<std::uint32_t>(place->slot),
                         static_cast<std::uint32_t>(place->window * windowElements)});
    }
    if (m_observer) {
        const auto buffer = std::find_if(m_plan.buffers.begin(), m_plan.buffers.end(), [&](const auto& b) {
            return b.name == m_request.observe->buffer && b.bytes() >= 4;
        });
        if (buffer == m_plan.buffers.end())
            return fail("the program has no array " + m_request.observe->buffer + " of a word to observe");
        std::vector<Observer::Call> calls;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const bool looked = m_request.observe->control == ObserveRequest::Control::Marks
                                    ? places[i].window % 2 == 1
                                    : last[places[i].output] == &places[i];
            calls.push_back({m_arena.address(static_cast<int>(buffer - m_plan.buffers.begin()), places[i]),
                             i >= first && i < first + count, looked});
        }
        m_observer->watch(std::move(calls));
    }
    return m_oracle->watch(looks);
}

Status ProgramTimer::compare(int sequence)
{
    SPARSERL_CHECK(m_oracle->compare(sequence, *m_renewal));
    if (!m_observer)
        return {};
    const bool signs = m_request.observe->control == ObserveRequest::Control::Signs;
    return m_observer->record(sequence, signs ? std::optional(m_givenSigns) : std::nullopt);
}

Status ProgramTimer::renew()
{
    SPARSERL_CHECK(m_renewal->renew());
    m_givenSigns = m_request.observe && m_request.observe->control == ObserveRequest::Control::Signs &&
                   m_controls.chance(0.5);
    return m_givenSigns ? m_renewal->restore() : Status{};
}

Refusal ProgramTimer::enqueue(const std::vector<BoundCall>& calls, const Place& place)
{
    for (const BoundCall& call : calls) {
        auto refused = m_program.enqueue(call, m_arena, place);
        if (!refused || *refused)
            return refused;
    }
    return std::nullopt;
}

/// One call as the plan asks for it: zeroing is part of it, poisoning is not.
Refusal ProgramTimer::call(const Place& place)
{
    if (m_request.observe && m_request.observe->control == ObserveRequest::Control::Marks &&
        place.window % 2 == 1) {
        SPARSERL_CHECK(m_gpu.scrubShared(m_request.seed));
    }
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        const BoundBuffer& buffer = m_plan.buffers[b];
        if (!buffer.zero || (buffer.role != BufferRole::Scratch && buffer.role != BufferRole::Output))
            continue;
        SPARSERL_CHECK(m_arena.zero(static_cast<int>(b), place));
    }
    return enqueue(m_plan.launches, place);
}

Result<bool> ProgramTimer::settled()
{
    SPARSERL_TRY(auto fault, m_gpu.settle(1e-6 * m_request.limitMicroseconds));
    return take(std::move(fault));
}

Status ProgramTimer::poisonPrepared(std::uint64_t seed)
{
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        if (m_plan.buffers[b].role != BufferRole::Prepared)
            continue;
        SPARSERL_CHECK(m_arena.poison(static_cast<int>(b), {}, seed + b));
    }
    return {};
}

/// Runs the prepare kernels twice on poisoned buffers: the first time loads their code, the second is timed,
/// as a graph like everything else.
Result<bool> ProgramTimer::prepare()
{
    SPARSERL_CHECK(poisonPrepared(m_request.seed));
    if (std::all_of(m_plan.prepares.begin(), m_plan.prepares.end(),
                    [](const BoundCall& c) { return c.skipped; }))
        return true;
    SPARSERL_TRY(auto refused, enqueue(m_plan.prepares, {}));
    if (!take(std::move(refused)))
        return false;
    auto good = settled();
    if (!good || !*good)
        return good;
    auto graph = Graph::capture(m_gpu, [&] { return enqueue(m_plan.prepares, {}); });
    auto events = Events::make(m_gpu, 2);
    if (!graph || !events)
        return fail(graph ? events.error() : graph.error());
    SPARSERL_CHECK(poisonPrepared(m_request.seed));
    for (const Status& ok : {events->record(0), graph->launch(), events->record(1)}) {
        if (!ok)
            return fail(ok.error());
    }
    good = settled();
    if (!good || !*good)
        return good;
    SPARSERL_TRY(auto time, events->microseconds(0, 1));
    m_result.setupMicroseconds = time;
    return true;
}

Result<bool> ProgramTimer::inspect()
{
    SPARSERL_CHECK(m_renewal->restore());
    SPARSERL_TRY(auto damage, m_program.damage(m_arena));
    if (!damage)
        return take(std::nullopt);
    return take(Fault{FaultKind::OutOfBounds, std::move(*damage), {}, 0, {}, {}});
}

/// What the calls that were timed have left.
Result<bool> ProgramTimer::compared()
{
    if (!m_oracle)
        return true;
    if (m_observer) {
        SPARSERL_TRY(auto observed, m_observer->finish());
        m_result.observed = std::move(observed);
    }
    SPARSERL_TRY(auto fault, m_oracle->finish(m_result.compared));
    return take(std::move(fault)) && !m_result.compared.wrong;
}

TimedWork ProgramTimer::work()
{
    TimedWork work;
    work.call = [this](const Place& place) { return call(place); };
    work.renew = [this] { return renew(); };
    if (m_oracle) {
        work.watch = [this](std::span<const Place> places, std::size_t first, std::size_t count) {
            return watch(places, first, count);
        };
        work.compare = [this](int sequence) { return compare(sequence); };
    }
    work.mostPlaces = m_arena.shape().copies;
    work.outputs = m_arena.shape().outputs;
    return work;
}

SamplingOptions ProgramTimer::sampling() const
{
    SamplingOptions options;
    options.samples = m_request.samples;
    options.sampleMicroseconds = m_request.sampleMicroseconds;
    options.cold = m_request.cold;
    options.coldSamples = m_request.coldSamples;
    options.limitMicroseconds = m_request.limitMicroseconds;
    options.dropAbove = m_request.dropAbove;
    options.mean = m_request.mean;
    options.seed = m_request.seed;
    options.cancel = m_request.cancel;
    return options;
}

Result<std::optional<Fault>> ProgramTimer::start(std::shared_ptr<const OracleMatrix>& kept)
{
    auto good = accept();
    if (good && *good)
        good = prepare();
    if (!good)
        return fail(good.error());
    if (!*good)
        return m_result.fault;
    SPARSERL_CHECK(fillRing());
    SPARSERL_CHECK(prepareSamples(kept));
    for (const Status& ok : {m_arena.noteReadOnly(true), m_renewal->renew()}) {
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
        m_gpu, [this] { return call({}); }, 1e-6 * m_request.limitMicroseconds);
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
    SPARSERL_TRY(const bool good, inspect());
    if (good) {
        SPARSERL_CHECK(compared());
    }
    m_result.phases.checks = now() - begin;
    m_result.measuringSeconds = now() - m_begin;
    return std::move(m_result);
}

Result<Measurement> ProgramTimer::run(std::shared_ptr<const OracleMatrix>& kept)
{
    SPARSERL_TRY(auto fault, start(kept));
    if (fault)
        return std::move(m_result);
    m_started = now();
    SPARSERL_TRY(auto samples, sample(m_gpu, work(), sampling()));
    m_result.warm = samples.warm;
    m_result.cold = samples.cold;
    m_result.wallMicroseconds = samples.wallMicroseconds;
    m_result.clocksAgree = samples.clocksAgree;
    m_result.dropped = samples.dropped;
    m_result.phases.first = m_started - m_begin + samples.firstSeconds;
    m_result.phases.warm = samples.warmSeconds;
    m_result.phases.cold = samples.coldSeconds;
    if (!take(std::move(samples.fault)) || m_result.dropped) {
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
    SPARSERL_CHECK(gpu.begin());
    SPARSERL_TRY(auto program, LoadedProgram::load(gpu, *request.plan, *request.module, request.cubin));
    SPARSERL_TRY(auto arena,
                 Arena::make(gpu, *request.plan, timedShape(*request.plan, gpu.info()), request.seed));
    std::unique_ptr<ProgramTimer> timer(new ProgramTimer(gpu, request, std::move(program), std::move(arena)));
    timer->m_result.phases.load = now() - begin;
    return timer;
}

Result<Measurement> measureProgram(Gpu& gpu, const MeasureRequest& request,
                                   std::shared_ptr<const OracleMatrix>& kept)
{
    if (request.plan) {
        if (auto fault = Arena::problem(gpu, *request.plan, timedShape(*request.plan, gpu.info()),
                                        comparisonBytes(request))) {
            Measurement result;
            result.fault = std::move(fault);
            return result;
        }
    }
    SPARSERL_TRY(auto timer, ProgramTimer::make(gpu, request));
    return timer->run(kept);
}

} // namespace sparserl::cuda
