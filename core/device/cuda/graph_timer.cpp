// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/graph_timer.h"

#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace sparserl::cuda {

namespace {

constexpr int mostCallsPerGraph = 512;
constexpr double warmUpMicroseconds = 600;
constexpr double mostSeconds = 2; ///< Of warm samples of one call; fewer samples where it is slow.
constexpr double clockSlackMicroseconds = 150; ///< Host work before the first and behind the last kernel.

/// Slots in an order in which no slot comes again within a round.
std::vector<int> ringOrder(int calls, Rng& rng)
{
    std::vector<int> round(ringSlots), order;
    std::iota(round.begin(), round.end(), 0);
    while (static_cast<int>(order.size()) < calls) {
        rng.shuffle(round);
        order.insert(order.end(), round.begin(), round.end());
    }
    order.resize(static_cast<std::size_t>(calls));
    return order;
}

class Sampler
{
public:
    Sampler(Gpu& gpu, const TimedWork& work, const SamplingOptions& options)
        : m_gpu(gpu)
        , m_work(work)
        , m_options(options)
        , m_rng(options.seed)
    {
    }
    Result<Samples> run();

    // Steps, also for interleave().
    Result<Graph> graphOf(int calls);
    static int callsFor(double estimated, double sampleMicroseconds);
    Samples takeResult() { return std::move(m_result); }
    /// True when all is well; false after a fault, which is then in the result.
    Result<bool> settled(double expectedMicroseconds);
    Result<bool> firstCalls();
    Result<bool> estimate(double& microseconds);

private:
    Result<bool> warm(double estimated);
    Result<bool> cold(double estimated);

    Gpu& m_gpu;
    const TimedWork& m_work;
    const SamplingOptions& m_options;
    Rng m_rng;
    Samples m_result;
};

Result<Graph> Sampler::graphOf(int calls)
{
    const std::vector<int> order = ringOrder(calls, m_rng);
    return Graph::capture(m_gpu, [&]() -> Result<std::optional<Fault>> {
        for (const int slot : order) {
            auto refused = m_work.call(slot);
            if (!refused || *refused)
                return refused;
        }
        return std::nullopt;
    });
}

Result<bool> Sampler::settled(double expectedMicroseconds)
{
    auto fault = m_gpu.settle(1e-6 * (m_options.limitMicroseconds + 20 * expectedMicroseconds));
    if (!fault)
        return fail(fault.error());
    if (*fault) {
        m_result.fault = std::move(**fault);
        return false;
    }
    if (m_options.cancel.cancelled())
        return fail("the measurement was cancelled");
    return true;
}

/// Once on every slot, outside a graph: loads code, and every output is then defined.
Result<bool> Sampler::firstCalls()
{
    for (int slot = 0; slot < ringSlots; ++slot) {
        auto refused = m_work.call(slot);
        if (!refused)
            return fail(refused.error());
        if (*refused) {
            m_result.fault = std::move(**refused);
            return false;
        }
        if (slot > 0 && slot < ringSlots - 1)
            continue; // the watchdog looks at the first alone and then at the rest
        auto good = settled(slot == 0 ? 0 : m_options.limitMicroseconds);
        if (!good || !*good)
            return good;
    }
    return true;
}

Result<bool> Sampler::estimate(double& microseconds)
{
    auto graph = graphOf(ringSlots);
    if (!graph)
        return fail(graph.error());
    auto events = Events::make(m_gpu, 3);
    if (!events)
        return fail(events.error());
    for (int i = 0; i < 3; ++i) {
        if (auto ok = events->record(i); !ok)
            return fail(ok.error());
        if (i == 2)
            break;
        if (auto ok = graph->launch(); !ok)
            return fail(ok.error());
    }
    auto good = settled(2 * ringSlots * m_options.limitMicroseconds);
    if (!good || !*good)
        return good;
    auto time = events->microseconds(1, 2);
    if (!time)
        return fail(time.error());
    microseconds = std::max(0.05, *time / ringSlots);
    return true;
}

int Sampler::callsFor(double estimated, double sampleMicroseconds)
{
    const double wanted = std::ceil(sampleMicroseconds / estimated / ringSlots) * ringSlots;
    return static_cast<int>(std::clamp(wanted, double(ringSlots), double(mostCallsPerGraph)));
}

Result<bool> Sampler::warm(double estimated)
{
    const int calls = callsFor(estimated, m_options.sampleMicroseconds);
    const double perGraph = estimated * calls;
    const int samples = std::clamp(static_cast<int>(1e6 * mostSeconds / perGraph),
                                   std::min(5, m_options.samples), std::max(1, m_options.samples));
    m_result.callsPerGraph = calls;
    auto graph = graphOf(calls);
    if (!graph)
        return fail(graph.error());
    auto events = Events::make(m_gpu, samples + 1);
    if (!events)
        return fail(events.error());
    if (m_work.reset) {
        if (auto ok = m_work.reset(); !ok)
            return fail(ok.error());
    }
    const int warmUps = std::clamp(static_cast<int>(warmUpMicroseconds / perGraph), 1, 16);
    for (int i = 0; i < warmUps; ++i) {
        if (auto ok = graph->launch(); !ok)
            return fail(ok.error());
    }
    auto good = settled(warmUps * perGraph);
    if (!good || !*good)
        return good;
    const double begin = now();
    if (auto ok = events->record(0); !ok)
        return fail(ok.error());
    for (int i = 0; i < samples; ++i) {
        if (auto ok = graph->launch(); !ok)
            return fail(ok.error());
        if (auto ok = events->record(i + 1); !ok)
            return fail(ok.error());
    }
    good = settled(samples * perGraph);
    if (!good || !*good)
        return good;
    const double wall = 1e6 * (now() - begin);
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) {
        auto time = events->microseconds(i, i + 1);
        if (!time)
            return fail(time.error());
        times.push_back(*time / calls);
    }
    const double total = std::accumulate(times.begin(), times.end(), 0.0) * calls;
    m_result.warm = summarise(std::move(times));
    m_result.wallMicroseconds = wall / (double(samples) * calls);
    // The first launch and the last wait are the host's; both clocks must otherwise see the same.
    m_result.clocksAgree = std::abs(wall - total) <= 0.05 * total + clockSlackMicroseconds;
    return true;
}

Result<bool> Sampler::cold(double estimated)
{
    const std::vector<int> order = ringOrder(ringSlots, m_rng);
    const auto capture = [&](bool calls) {
        return Graph::capture(m_gpu, [&]() -> Result<std::optional<Fault>> {
            for (const int slot : order) {
                if (auto ok = m_gpu.flushL2(); !ok)
                    return fail(ok.error());
                if (!calls)
                    continue;
                auto refused = m_work.call(slot);
                if (!refused || *refused)
                    return refused;
            }
            return std::nullopt;
        });
    };
    // The memory of the flush cannot be reserved during a capture.
    if (auto ok = m_gpu.flushL2(); !ok)
        return fail(ok.error());
    auto with = capture(true);
    if (!with)
        return fail(with.error());
    auto without = capture(false);
    if (!without)
        return fail(without.error());
    const int samples = std::clamp(static_cast<int>(1e6 * mostSeconds / (estimated * 2 * ringSlots)), 3,
                                   std::max(3, m_options.samples / 3));
    auto events = Events::make(m_gpu, 3 * samples);
    if (!events)
        return fail(events.error());
    for (int i = -1; i < samples; ++i) { // the first pair is a warm-up
        const bool swapped = i % 2 != 0;
        const int at = 3 * std::max(0, i);
        if (auto ok = events->record(at); !ok)
            return fail(ok.error());
        for (int half = 0; half < 2; ++half) {
            if (auto ok = ((half == 0) == swapped ? *without : *with).launch(); !ok)
                return fail(ok.error());
            if (auto ok = events->record(at + 1 + half); !ok)
                return fail(ok.error());
        }
    }
    auto good = settled((samples + 1) * ringSlots * (4 * estimated + 1000));
    if (!good || !*good)
        return good;
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) {
        auto first = events->microseconds(3 * i, 3 * i + 1),
             second = events->microseconds(3 * i + 1, 3 * i + 2);
        if (!first || !second)
            return fail((first ? second : first).error());
        const double difference = i % 2 != 0 ? *second - *first : *first - *second;
        times.push_back(difference / ringSlots);
    }
    m_result.cold = summarise(std::move(times));
    return true;
}

Result<Samples> Sampler::run()
{
    const auto finish = [&]() -> Result<Samples> { return std::move(m_result); };
    const double begin = now();
    auto good = firstCalls();
    double estimated = 0;
    if (good && *good)
        good = estimate(estimated);
    const double estimatedAt = now();
    m_result.firstSeconds = estimatedAt - begin;
    if (!good)
        return fail(good.error());
    if (!*good)
        return finish();
    if (m_options.dropAbove > 0 && estimated > m_options.dropAbove) {
        m_result.dropped = true;
        m_result.warm = {estimated, estimated, estimated, 1};
        return finish();
    }
    good = warm(estimated);
    const double warmAt = now();
    m_result.warmSeconds = warmAt - estimatedAt;
    if (good && *good && m_options.cold)
        good = cold(estimated);
    m_result.coldSeconds = now() - warmAt;
    if (!good)
        return fail(good.error());
    return finish();
}

} // namespace

Timing summarise(std::vector<double> values)
{
    Timing timing;
    timing.n = static_cast<int>(values.size());
    if (values.empty())
        return timing;
    std::sort(values.begin(), values.end());
    const auto quantile = [&](double q) {
        const double at = q * static_cast<double>(values.size() - 1);
        const auto low = static_cast<std::size_t>(at);
        const std::size_t high = std::min(low + 1, values.size() - 1);
        return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
    };
    timing.median = quantile(0.5);
    timing.q25 = quantile(0.25);
    timing.q75 = quantile(0.75);
    return timing;
}

Result<Samples> sample(Gpu& gpu, const TimedWork& work, const SamplingOptions& options)
{
    return Sampler(gpu, work, options).run();
}

Result<Interleaved> interleave(Gpu& gpu, const TimedWork& first, const TimedWork& second,
                               const SamplingOptions& options)
{
    Interleaved result;
    Sampler samplers[2] = {{gpu, first, options}, {gpu, second, options}};
    const TimedWork* works[2] = {&first, &second};
    int calls[2] = {};
    double perGraph = 0;
    std::vector<Graph> timed, round;
    for (int w = 0; w < 2; ++w) {
        double estimated = 0;
        auto good = samplers[w].firstCalls();
        if (good && *good)
            good = samplers[w].estimate(estimated);
        if (!good)
            return fail(good.error());
        if (!*good) {
            result.fault = samplers[w].takeResult().fault;
            if (w == 1)
                return fail("the baseline failed: " + result.fault->message);
            return result;
        }
        if (works[w]->reset) {
            if (auto ok = works[w]->reset(); !ok)
                return fail(ok.error());
        }
        calls[w] = Sampler::callsFor(estimated, options.sampleMicroseconds);
        perGraph += estimated * (calls[w] + ringSlots);
        for (auto* graphs : {&timed, &round}) {
            auto graph = samplers[w].graphOf(graphs == &timed ? calls[w] : ringSlots);
            if (!graph)
                return fail(graph.error());
            graphs->push_back(std::move(*graph));
        }
    }
    const int pairs = std::clamp(static_cast<int>(1e6 * mostSeconds / perGraph), std::min(5, options.samples),
                                 std::max(1, options.samples));
    auto events = Events::make(gpu, 4 * pairs);
    if (!events)
        return fail(events.error());
    for (int i = -1; i < pairs; ++i) { // the first pair is a warm-up
        for (int half = 0; half < 2; ++half) {
            const int w = (half + i) & 1, at = 4 * std::max(0, i) + 2 * w;
            const auto which = static_cast<std::size_t>(w);
            for (const Status& ok :
                 {round[which].launch(), events->record(at), timed[which].launch(), events->record(at + 1)}) {
                if (!ok)
                    return fail(ok.error());
            }
        }
    }
    auto good = samplers[0].settled((pairs + 1) * perGraph);
    if (!good)
        return fail(good.error());
    if (!*good) {
        result.fault = samplers[0].takeResult().fault;
        return result;
    }
    std::vector<double> times[2], ratios;
    for (int i = 0; i < pairs; ++i) {
        for (int w = 0; w < 2; ++w) {
            auto time = events->microseconds(4 * i + 2 * w, 4 * i + 2 * w + 1);
            if (!time)
                return fail(time.error());
            times[w].push_back(*time / calls[w]);
        }
        ratios.push_back(times[1].back() / std::max(1e-9, times[0].back()));
    }
    result.first = summarise(std::move(times[0]));
    result.second = summarise(std::move(times[1]));
    result.ratio = summarise(std::move(ratios));
    return result;
}

} // namespace sparserl::cuda
