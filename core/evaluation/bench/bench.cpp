// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bench/bench.h"

#include "base/interruption.h"
#include "base/time.h"
#include "evaluation/bench/bench_ahead.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

constexpr double dropFactor = 1.5;

/// One matrix on the device.
class OneMatrix
{
public:
    OneMatrix(BenchDevice& device, BenchPrepared& ready, const BenchOptions& options)
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
    BenchRow rowOf(const BenchCandidate& candidate) const;
    /// Empty: right.
    std::string compareOutputs(const std::vector<CallOutputs>& outputs) const;
    static std::string problemOf(const ComparedCalls& compared);
    void fill(BenchRow& row, const BenchTimes& times) const;

    BenchDevice& m_device;
    BenchPrepared& m_ready;
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
    if (isInterruption(error))
        return fail(error);
    if (!m_device.usable())
        return fail(fmt::format("{}, {}: {}", m_ready.about.name, what, error.what), error.remedy);
    problem = error.sentence();
    return {};
}

std::string OneMatrix::compareOutputs(const std::vector<CallOutputs>& outputs) const
{
    if (outputs.size() != m_ready.right.size())
        return fmt::format("{} outputs instead of {}", outputs.size(), m_ready.right.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (const auto wrong =
                firstWrong(denseOutput(m_options.variant.task(), m_options.variant.type, outputs[i]),
                           m_ready.right[i], Tolerance::Flushed))
            return fmt::format("wrong result: row {} is {}, should be {}", wrong->row, wrong->got,
                               wrong->expected);
    }
    return {};
}

std::string OneMatrix::problemOf(const ComparedCalls& compared)
{
    if (const auto& wrong = compared.wrong)
        return fmt::format("wrong result: row {} is {}, should be {}", wrong->row, wrong->got,
                           wrong->expected);
    return compared.calls > 0 ? "" : "none of the calls that were timed was compared";
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
        row.problem = times.outputs.empty() ? problemOf(times.compared) : compareOutputs(times.outputs);
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

BenchRow OneMatrix::rowOf(const BenchCandidate& candidate) const
{
    BenchRow row;
    row.family = candidate.derived.family;
    row.variant = parametersJson(candidate.derived.parameters);
    row.problem = candidate.problem;
    row.text = candidate.derived.text;
    if (candidate.plan) {
        row.conversionMicroseconds = m_device.conversionMicroseconds(1e6 * candidate.plan->conversionSeconds,
                                                                     candidate.plan->setupBytes);
        row.setupBytes = candidate.plan->setupBytes;
        const auto launches = std::count_if(candidate.plan->launches.begin(), candidate.plan->launches.end(),
                                            [](const BoundCall& call) { return !call.skipped; });
        const Workload work(m_options.variant, m_ready.about.sizes);
        row.floorMicroseconds =
            m_device.floorMicroseconds(static_cast<int>(launches), work.compulsoryBytes());
    }
    return row;
}

Status OneMatrix::candidates()
{
    std::vector<BenchRow>& table = m_ready.about.table;
    for (std::size_t c = 0; c < m_ready.candidates.size(); ++c) {
        if (m_options.cancel.cancelled())
            return fail(interruption());
        const BenchCandidate& candidate = m_ready.candidates[c];
        BenchRow row = rowOf(candidate);
        if (candidate.plan) {
            auto times = m_device.time({candidate.compiled.get(), &*candidate.plan},
                                       sampling(false, m_best > 0 ? dropFactor * m_best : 0));
            if (!times) {
                SPARSERL_CHECK(survived(row.problem, row.family + " " + row.variant, times.error()));
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
        const BenchCandidate& candidate = m_ready.candidates[entry.second];
        BenchRow& row = table[entry.first];
        auto times = m_device.time({candidate.compiled.get(), &*candidate.plan}, sampling(true, 0));
        if (!times) {
            SPARSERL_CHECK(survived(row.problem, row.family + " " + row.variant, times.error()));
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
        const BenchCandidate& one = m_ready.candidates[candidate];
        BaselineTiming against;
        against.library = baseline->family;
        against.algorithm = baseline->variant;
        against.warm = baseline->warm;
        auto both = m_device.compare({one.compiled.get(), &*one.plan}, against, sampling(true, 0));
        if (!both)
            return survived(about.problem, "in turn with the baseline", both.error());
        std::string problem = both->fault ? both->fault->message : problemOf(both->compared);
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
    std::vector<CallInputs> inputs;
    for (const auto& input : m_ready.inputs)
        inputs.push_back(denseInput(m_options.variant.task(), input));
    SPARSERL_CHECK(m_device.begin(m_ready.matrix, m_options.variant.columns, inputs));
    for (auto step :
         {&OneMatrix::baselines, &OneMatrix::candidates, &OneMatrix::bestOfFamilies, &OneMatrix::final}) {
        SPARSERL_CHECK((this->*step)());
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

const BenchRow* BenchMatrix::nextFamily() const
{
    const BenchRow *best = bestProgram(), *next = nullptr;
    for (const BenchRow& row : table) {
        if (best && !row.baseline && row.bestOfFamily && row.problem.empty() && row.family != best->family &&
            (!next || row.warm.median < next->warm.median))
            next = &row;
    }
    return next;
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
    SPARSERL_TRY(auto programs, OwnPrograms::create(device.architecture()));
    BenchAhead ahead(matrices, options, *programs, device.limits());
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        if (options.cancel.cancelled())
            return fail(interruption());
        if (options.progress)
            options.progress(static_cast<double>(i) / static_cast<double>(matrices.size()), matrices[i].name);
        auto ready = ahead.take(i);
        if (ready->about.problem.empty()) {
            SPARSERL_CHECK(OneMatrix(device, *ready, options).run());
        }
        SPARSERL_CHECK(take(ready->about));
        ahead.give(std::move(ready));
    }
    return {};
}

} // namespace sparserl
