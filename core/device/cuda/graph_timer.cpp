// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/graph_timer.h"

#include "base/interruption.h"
#include "base/quantile.h"
#include "base/rng.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <numeric>
#include <span>
#include <thread>

namespace sparserl::cuda {

namespace {

constexpr int mostCallsPerGraph = 64;
constexpr int mostLeadIn = 8, fewestTail = 3, mostTail = 8;
static_assert(mostLeadIn + mostCallsPerGraph + mostTail <= mostPlaces);
constexpr int mostVariants = 8; ///< Graphs of a row that differ in the calls whose outputs stay.
constexpr double leadInMicroseconds = 25;
constexpr double warmUpMicroseconds = 600;
constexpr double mostSeconds = 2; ///< Of warm samples of one call; fewer samples where it is slow.
constexpr double clockSlackMicroseconds = 150; ///< Host work before the first and behind the last kernel.
constexpr int mostRows = 6;               ///< Of warm samples, until the host's clock agrees with the events.
constexpr double rowPauseSeconds = 0.002; ///< Before the second row; twice as long before each other one.

Status renew(const TimedWork& work)
{
    return work.renew ? work.renew() : Status{};
}

/// Calls of a sample as graphs: those that lead in, those that are timed, and those behind.
struct Sequence
{
    Graph lead, timed;
    std::optional<Graph> tail;
    int watched = -1; ///< Its number for TimedWork::compare.
};

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
    /// Places in an order in which no slot comes again within a round and no window at all. Outputs of the
    /// first `lead` calls do not stay.
    std::vector<Place> draw(int calls, int lead = 0);
    /// Sequences of so many calls, for rows of samples; one where there is nothing to choose.
    Result<std::vector<Sequence>> sequences(int lead, int calls);
    int leadInFor(double estimated) const;
    int callsFor(double estimated, double sampleMicroseconds) const;
    /// Calls that follow the timed ones where not every output can stay.
    int tailRoom() const { return m_work.watch ? fewestTail : 0; }
    /// Which of so many sequences each sample takes.
    std::vector<std::size_t> choose(int samples, std::size_t among);
    Status compare(int watched) { return watched < 0 ? Status{} : m_work.compare(watched); }
    Samples takeResult() { return std::move(m_result); }
    /// True when all is well; false after a fault, which is then in the result.
    Result<bool> settled(double expectedMicroseconds);
    Result<bool> firstCalls();
    Result<bool> estimate(double& microseconds);

private:
    Result<Graph> graphOf(std::span<const Place> places);
    Result<int> watch(std::span<const Place> places, std::size_t first, std::size_t count)
    {
        return m_work.watch ? m_work.watch(places, first, count) : Result<int>(-1);
    }
    void drawOutputs(std::vector<Place>& places, std::size_t lead);
    Result<bool> warm(double estimated);
    Result<bool> row(double estimated, int wanted);
    Result<bool> cold(double estimated);

    Gpu& m_gpu;
    const TimedWork& m_work;
    const SamplingOptions& m_options;
    Rng m_rng;
    Samples m_result;
};

/// Calls whose outputs stay are drawn first. Outputs then rotate; one that such a call has written leaves the
/// rotation, so every call before is one of many whose output could stay.
void Sampler::drawOutputs(std::vector<Place>& places, std::size_t lead)
{
    std::vector<std::size_t> order(places.size() - lead);
    std::iota(order.begin(), order.end(), lead);
    const std::size_t stay = std::min(order.size(), static_cast<std::size_t>(m_work.outputs));
    // A few are the last ones, behind those that are timed, so that to the end more than one output rotates
    // and all calls that are timed are drawn alike.
    const std::size_t last = std::min<std::size_t>(stay, fewestTail);
    auto early = std::span(order).first(order.size() - last);
    m_rng.shuffle(early);
    std::rotate(order.begin(), order.end() - static_cast<std::ptrdiff_t>(last), order.end());
    std::vector<bool> stays(places.size());
    for (std::size_t i = 0; i < stay; ++i)
        stays[order[i]] = true;
    std::vector<int> all(static_cast<std::size_t>(m_work.outputs));
    std::iota(all.begin(), all.end(), 0);
    m_rng.shuffle(all);
    std::deque<int> rotating(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(stay));
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i].output = rotating.front();
        rotating.pop_front();
        if (!stays[i])
            rotating.push_back(places[i].output);
    }
}

std::vector<Place> Sampler::draw(int calls, int lead)
{
    std::vector<int> slots(ringSlots), windows(ringWindows);
    std::iota(slots.begin(), slots.end(), 0);
    std::iota(windows.begin(), windows.end(), 0);
    std::array<std::vector<int>, ringSlots> windowsOf;
    for (auto& order : windowsOf) {
        m_rng.shuffle(windows);
        order = windows;
    }
    std::vector<Place> places;
    while (static_cast<int>(places.size()) < calls) {
        const std::size_t round = places.size() / ringSlots;
        m_rng.shuffle(slots);
        for (const int slot : slots) {
            const auto copy = static_cast<int>(places.size()) % m_work.mostPlaces;
            places.push_back({slot, windowsOf[static_cast<std::size_t>(slot)][round % ringWindows], copy, 0});
        }
    }
    places.resize(static_cast<std::size_t>(calls));
    drawOutputs(places, static_cast<std::size_t>(std::min(lead, calls - 1)));
    return places;
}

Result<std::vector<Sequence>> Sampler::sequences(int lead, int calls)
{
    const int outputs = m_work.outputs;
    const bool choice = m_work.watch && calls > outputs;
    const int variants = choice ? std::clamp(2 * (calls + outputs - 1) / outputs, 2, mostVariants) : 1;
    const int room = std::clamp(m_work.mostPlaces - lead - calls, fewestTail, mostTail);
    std::vector<Sequence> all;
    for (int v = 0; v < variants; ++v) {
        const int tail = choice ? static_cast<int>(m_rng.between(fewestTail, room)) : 0;
        const std::vector<Place> places = draw(lead + calls + tail, lead);
        const std::span<const Place> span(places);
        const auto first = static_cast<std::size_t>(lead), count = static_cast<std::size_t>(calls);
        SPARSERL_TRY(const int watched, watch(span, first, count));
        SPARSERL_TRY(auto before, graphOf(span.first(first)));
        SPARSERL_TRY(auto timed, graphOf(span.subspan(first, count)));
        Sequence made{std::move(before), std::move(timed), std::nullopt, watched};
        if (tail > 0) {
            SPARSERL_TRY(auto behind, graphOf(span.subspan(first + count)));
            made.tail.emplace(std::move(behind));
        }
        all.push_back(std::move(made));
    }
    return all;
}

Result<Graph> Sampler::graphOf(std::span<const Place> places)
{
    return Graph::capture(m_gpu, [&]() -> Result<std::optional<Fault>> {
        for (const Place& place : places) {
            auto refused = m_work.call(place);
            if (!refused || *refused)
                return refused;
        }
        return std::nullopt;
    });
}

int Sampler::leadInFor(double estimated) const
{
    const int most = std::clamp(m_work.mostPlaces / ringWindows, 1, mostLeadIn);
    return static_cast<int>(std::clamp(std::ceil(leadInMicroseconds / estimated), 1.0, double(most)));
}

int Sampler::callsFor(double estimated, double sampleMicroseconds) const
{
    const double wanted = std::ceil(sampleMicroseconds / estimated / ringSlots) * ringSlots;
    const int most = std::max(1, m_work.mostPlaces - leadInFor(estimated) - tailRoom());
    return std::min(most, static_cast<int>(std::clamp(wanted, double(ringSlots), double(mostCallsPerGraph))));
}

std::vector<std::size_t> Sampler::choose(int samples, std::size_t among)
{
    std::vector<std::size_t> chosen(static_cast<std::size_t>(samples));
    for (std::size_t i = 0; i < chosen.size(); ++i)
        chosen[i] = i % among;
    m_rng.shuffle(chosen);
    return chosen;
}

Result<bool> Sampler::settled(double expectedMicroseconds)
{
    SPARSERL_TRY(auto fault, m_gpu.settle(1e-6 * (m_options.limitMicroseconds + 20 * expectedMicroseconds)));
    if (fault) {
        m_result.fault = std::move(*fault);
        return false;
    }
    if (m_options.cancel.cancelled())
        return fail(interruption());
    return true;
}

/// Once on every slot, outside a graph: loads code, and every output is then defined.
Result<bool> Sampler::firstCalls()
{
    const std::vector<Place> places = draw(ringSlots);
    for (std::size_t i = 0; i < places.size(); ++i) {
        SPARSERL_TRY(auto refused, m_work.call(places[i]));
        if (refused) {
            m_result.fault = std::move(*refused);
            return false;
        }
        if (i > 0 && i + 1 < places.size())
            continue; // the watchdog looks at the first alone and then at the rest
        auto good = settled(i == 0 ? 0 : m_options.limitMicroseconds);
        if (!good || !*good)
            return good;
    }
    return true;
}

Result<bool> Sampler::estimate(double& microseconds)
{
    SPARSERL_TRY(auto graph, graphOf(draw(ringSlots)));
    SPARSERL_TRY(auto events, Events::make(m_gpu, 2));
    for (const Status& ok :
         {renew(m_work), graph.launch(), renew(m_work), events.record(0), graph.launch(), events.record(1)}) {
        if (!ok)
            return fail(ok.error());
    }
    auto good = settled(2 * ringSlots * m_options.limitMicroseconds);
    if (!good || !*good)
        return good;
    SPARSERL_TRY(auto time, events.microseconds(0, 1));
    microseconds = std::max(0.05, time / ringSlots);
    return true;
}

/// A host whose processors are busy sees the end of a row late, so that its clock says more than the events
/// do. What a program has done to either clock stays; a late turn does not, and is little beside a long row.
/// So rows are repeated, each twice as long, and the one that counts is one that both clocks agree on.
Result<bool> Sampler::warm(double estimated)
{
    const double begin = now();
    for (int rows = 1;; ++rows) {
        auto good = row(estimated, m_options.mean ? m_options.samples : m_options.samples << (rows - 1));
        if (!good || !*good || m_result.clocksAgree || rows == mostRows || now() - begin > mostSeconds)
            return good;
        std::this_thread::sleep_for(std::chrono::duration<double>(std::ldexp(rowPauseSeconds, rows - 1)));
    }
}

Result<bool> Sampler::row(double estimated, int wanted)
{
    const int calls = callsFor(estimated, m_options.sampleMicroseconds), leadIn = leadInFor(estimated);
    const double perGraph = estimated * calls, perStep = 2 * estimated * (calls + leadIn);
    const int fewest = m_options.mean ? wanted : std::min(5, wanted);
    const int samples =
        std::clamp(static_cast<int>(1e6 * mostSeconds / perGraph), fewest, std::max(1, wanted));
    m_result.callsPerGraph = calls;
    SPARSERL_TRY(auto sequences, this->sequences(leadIn, calls));
    SPARSERL_TRY(auto events, Events::make(m_gpu, 2 * samples + 2));
    const int warmUps = std::clamp(static_cast<int>(warmUpMicroseconds / perGraph), 1, 16);
    for (int i = 0; i < warmUps; ++i) {
        Sequence& one = sequences[static_cast<std::size_t>(i) % sequences.size()];
        for (const Status& ok : {renew(m_work), one.lead.launch(), one.timed.launch()}) {
            if (!ok)
                return fail(ok.error());
        }
    }
    auto good = settled(warmUps * perStep);
    if (!good || !*good)
        return good;
    const std::vector<std::size_t> order = choose(samples, sequences.size());
    const double begin = now();
    SPARSERL_CHECK(events.record(2 * samples));
    int at = 0;
    for (const std::size_t which : order) {
        Sequence& one = sequences[which];
        for (const Status& ok :
             {renew(m_work), one.lead.launch(), events.record(2 * at), one.timed.launch(),
              events.record(2 * at + 1), one.tail ? one.tail->launch() : Status{}, compare(one.watched)}) {
            if (!ok)
                return fail(ok.error());
        }
        ++at;
    }
    SPARSERL_CHECK(events.record(2 * samples + 1));
    good = settled(static_cast<double>(order.size()) * perStep);
    if (!good || !*good)
        return good;
    const double wall = 1e6 * (now() - begin);
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) {
        SPARSERL_TRY(auto time, events.microseconds(2 * i, 2 * i + 1));
        times.push_back(time / calls);
    }
    SPARSERL_TRY(auto total, events.microseconds(2 * samples, 2 * samples + 1));
    const double timed = std::accumulate(times.begin(), times.end(), 0.0), mean = timed / samples;
    m_result.warm = summarise(std::move(times));
    if (m_options.mean)
        m_result.warm = {mean, mean, mean, samples * calls};
    // What was not timed takes the same share of both clocks.
    m_result.wallMicroseconds = mean * wall / std::max(1e-9, total);
    // The first launch and the last wait are the host's; both clocks must otherwise see the same.
    m_result.clocksAgree = std::abs(wall - total) <= 0.05 * total + clockSlackMicroseconds;
    return true;
}

Result<bool> Sampler::cold(double estimated)
{
    const std::vector<Place> order = draw(ringSlots);
    const auto capture = [&](bool calls) {
        return Graph::capture(m_gpu, [&]() -> Result<std::optional<Fault>> {
            for (const Place& place : order) {
                SPARSERL_CHECK(m_gpu.flushL2());
                if (!calls)
                    continue;
                auto refused = m_work.call(place);
                if (!refused || *refused)
                    return refused;
            }
            return std::nullopt;
        });
    };
    // The memory of the flush cannot be reserved during a capture.
    SPARSERL_CHECK(m_gpu.flushL2());
    SPARSERL_TRY(auto with, capture(true));
    SPARSERL_TRY(auto without, capture(false));
    SPARSERL_TRY(const int watched, watch(order, 0, order.size()));
    const int wanted = m_options.coldSamples > 0 ? m_options.coldSamples : m_options.samples / 3;
    const int samples =
        std::clamp(static_cast<int>(1e6 * mostSeconds / (estimated * 2 * ringSlots)), 3, std::max(3, wanted));
    SPARSERL_TRY(auto events, Events::make(m_gpu, 3 * samples));
    for (int i = -1; i < samples; ++i) { // the first pair is a warm-up
        const bool swapped = i % 2 != 0;
        const int at = 3 * std::max(0, i);
        for (const Status& ok : {renew(m_work), events.record(at)}) {
            if (!ok)
                return fail(ok.error());
        }
        for (int half = 0; half < 2; ++half) {
            SPARSERL_CHECK(((half == 0) == swapped ? without : with).launch());
            SPARSERL_CHECK(events.record(at + 1 + half));
        }
        SPARSERL_CHECK(compare(watched));
    }
    auto good = settled((samples + 1) * ringSlots * (4 * estimated + 1000));
    if (!good || !*good)
        return good;
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) {
        auto first = events.microseconds(3 * i, 3 * i + 1),
             second = events.microseconds(3 * i + 1, 3 * i + 2);
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
    timing.median = sortedQuantile(values, 0.5);
    timing.q25 = sortedQuantile(values, 0.25);
    timing.q75 = sortedQuantile(values, 0.75);
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
    double perStep = 0;
    std::vector<Sequence> all[2];
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
        // The other one has used the caches: a round leads in, where there is room for it.
        const int round = std::min(ringSlots, std::max(1, works[w]->mostPlaces / ringWindows));
        calls[w] = std::min(samplers[w].callsFor(estimated, options.sampleMicroseconds),
                            std::max(1, works[w]->mostPlaces - round - samplers[w].tailRoom()));
        perStep += estimated * (calls[w] + round);
        SPARSERL_TRY(auto made, samplers[w].sequences(round, calls[w]));
        all[w] = std::move(made);
    }
    const int pairs = std::clamp(static_cast<int>(1e6 * mostSeconds / perStep), std::min(5, options.samples),
                                 std::max(1, options.samples));
    SPARSERL_TRY(auto events, Events::make(gpu, 4 * pairs));
    std::vector<std::size_t> chosen[2];
    for (int w = 0; w < 2; ++w)
        chosen[w] = samplers[w].choose(pairs + 1, all[w].size()); // The first pair is a warm-up.
    for (int i = -1; i < pairs; ++i) {
        for (int half = 0; half < 2; ++half) {
            const int w = (half + i) & 1, at = 4 * std::max(0, i) + 2 * w;
            Sequence& one = all[w][chosen[w][static_cast<std::size_t>(i + 1)]];
            for (const Status& ok :
                 {renew(*works[w]), one.lead.launch(), events.record(at), one.timed.launch(),
                  events.record(at + 1), one.tail ? one.tail->launch() : Status{},
                  samplers[w].compare(one.watched)}) {
                if (!ok)
                    return fail(ok.error());
            }
        }
    }
    SPARSERL_TRY(auto good, samplers[0].settled(2 * static_cast<double>(pairs + 1) * perStep));
    if (!good) {
        result.fault = samplers[0].takeResult().fault;
        return result;
    }
    std::vector<double> times[2], ratios;
    for (int p = 0; p < pairs; ++p) {
        for (int w = 0; w < 2; ++w) {
            SPARSERL_TRY(auto time, events.microseconds(4 * p + 2 * w, 4 * p + 2 * w + 1));
            times[w].push_back(time / calls[w]);
        }
        ratios.push_back(times[1].back() / std::max(1e-9, times[0].back()));
    }
    result.first = summarise(std::move(times[0]));
    result.second = summarise(std::move(times[1]));
    result.ratio = summarise(std::move(ratios));
    return result;
}

} // namespace sparserl::cuda
