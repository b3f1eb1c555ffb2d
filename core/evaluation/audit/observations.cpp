// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/observations.h"

#include "base/interruption.h"
#include "evaluation/bench/own_programs.h"
#include "evaluation/cases/inputs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>

namespace sparserl {

namespace {

constexpr double commonShare = 0.05;

std::shared_ptr<const Csr> observedMatrix(std::int32_t rows, Rng& rng)
{
    auto matrix = std::make_shared<Csr>();
    matrix->rows = matrix->cols = rows;
    for (std::int32_t row = 0; row < rows; ++row) {
        const auto first = static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(rows - 8)));
        for (std::int32_t k = 0; k < 3; ++k)
            matrix->col.push_back(first + 2 * k);
        matrix->rowPtr.push_back(static_cast<std::int32_t>(matrix->col.size()));
    }
    matrix->val = randomVector(matrix->nnz(), rng);
    return matrix;
}

using Shares = std::array<double, observedFeatures>;

Shares sharesOf(const std::vector<std::uint32_t>& words)
{
    Shares shares{};
    for (const std::uint32_t word : words) {
        for (std::size_t bit = 0; bit < 32; ++bit)
            shares[bit] += static_cast<double>(word >> bit & 1) / static_cast<double>(words.size());
        shares[32] += (word == 0 ? 1.0 : 0.0) / static_cast<double>(words.size());
    }
    return shares;
}

/// Of the values of features that `timed` has often, the least share that `tests` has.
double coverage(const std::vector<std::uint32_t>& tests, const std::vector<std::uint32_t>& timed)
{
    if (tests.empty() || timed.empty())
        return 0;
    const Shares a = sharesOf(tests), b = sharesOf(timed);
    double least = 1;
    for (std::size_t f = 0; f < observedFeatures; ++f) {
        if (b[f] >= commonShare)
            least = std::min(least, a[f]);
        if (1 - b[f] >= commonShare)
            least = std::min(least, 1 - a[f]);
    }
    return least;
}

class GpuObservation
{
public:
    GpuObservation(CudaDevice& device, const ObservationOptions& options, OwnPrograms& programs)
        : m_device(device)
        , m_options(options)
        , m_programs(programs)
        , m_rng(options.seed)
        , m_matrix(observedMatrix(options.rows, m_rng))
    {
    }

    Result<ObservationRow> observe(const Observable& observable, std::size_t observables)
    {
        ObservationRow row;
        row.observable = observable;
        std::vector<std::uint32_t> timed;
        SPARSERL_TRY(const auto runs, timedRuns(observable, timed));
        row.difference = compareGroups(runs, observables, m_options.level);
        SPARSERL_TRY(const auto words, testedWords(observable));
        row.covered = coverage(words, timed);
        return row;
    }

private:
    void drawInputs(std::vector<CallInputs>& inputs)
    {
        m_inputs.clear();
        inputs.clear();
        for (int i = 0; i < 8; ++i)
            m_inputs.push_back(randomVector(m_matrix->cols, m_rng));
        for (const auto& x : m_inputs)
            inputs.push_back(denseInput(Task::SpMV, x));
    }

    Result<std::vector<std::vector<Observed>>> timedRuns(const Observable& observable,
                                                         std::vector<std::uint32_t>& timed)
    {
        SPARSERL_TRY(const auto compiled, m_programs.get(observingProgram(observable, false)));
        const auto plan = bindPlan(compiled->program.plan, {*m_matrix, {1}}, m_device.info().limits());
        if (!plan)
            return fail("an observing program does not bind: " + plan.error().reason);
        MeasureRequest request;
        request.plan = &*plan;
        request.module = &compiled->module;
        request.cubin = compiled->compiled.cubin;
        request.samples = m_options.samples;
        request.cold = false;
        request.compare = CompareRequest{m_matrix, 1};
        request.observe = ObserveRequest{"seen", m_options.control};
        request.cancel = m_options.cancel;
        request.sampleMicroseconds = m_options.sampleMicroseconds;
        std::vector<std::vector<Observed>> runs;
        for (int run = 0; run < m_options.runs; ++run) {
            request.seed = m_rng.next();
            drawInputs(request.ring);
            SPARSERL_TRY(const auto measured, m_device.measure(request));
            if (measured.fault || measured.compared.wrong)
                return fail("a program that observes " + std::string(observable.name) + " is not right: " +
                            (measured.fault ? measured.fault->message : "its result is wrong"));
            auto& words = runs.emplace_back();
            // Samples of one sequence have the same calls in the same order: they say the same of what does
            // not change between samples, so one of them counts. In the control of signs samples are what
            // differs.
            std::map<int, int> counted;
            for (const ObservedCall& call : measured.observed) {
                if (!call.timed)
                    continue;
                if (m_options.control != ObserveRequest::Control::Signs &&
                    counted.try_emplace(call.sequence, call.sample).first->second != call.sample)
                    continue;
                words.push_back({call.looked, call.word, call.sample});
                timed.push_back(call.word);
            }
        }
        return runs;
    }

    /// What the same program sees where results are checked before and behind the timing.
    Result<std::vector<std::uint32_t>> testedWords(const Observable& observable)
    {
        SPARSERL_TRY(const auto compiled, m_programs.get(observingProgram(observable, true)));
        const auto plan = bindPlan(compiled->program.plan, {*m_matrix, {1}}, m_device.info().limits());
        if (!plan)
            return fail("an observing program does not bind: " + plan.error().reason);
        std::vector<std::uint32_t> words;
        for (int run = 0; run < m_options.runs; ++run) {
            ExecutionRequest request;
            request.plan = &*plan;
            request.module = &compiled->module;
            request.cubin = compiled->compiled.cubin;
            request.seed = m_rng.next();
            request.cancel = m_options.cancel;
            drawInputs(request.inputs);
            SPARSERL_TRY(const auto result, m_device.execute(request));
            if (result.fault)
                return fail("a program that observes " + std::string(observable.name) +
                            " fails: " + result.fault->message);
            for (const CallOutputs& outputs : result.outputs) {
                std::uint32_t word = 0;
                std::memcpy(&word, outputs.front().bytes.data(), sizeof(word));
                words.push_back(word);
            }
        }
        return words;
    }

    CudaDevice& m_device;
    const ObservationOptions& m_options;
    OwnPrograms& m_programs;
    Rng m_rng;
    std::shared_ptr<const Csr> m_matrix;
    std::vector<std::vector<float>> m_inputs;
};

} // namespace

Result<std::vector<ObservationRow>> observeTimedCalls(CudaDevice& device, const ObservationOptions& options)
{
    SPARSERL_TRY(const auto programs, OwnPrograms::create(device.info().architecture()));
    std::vector<Observable> chosen;
    for (const Observable& one : observables())
        if (one.name.find(options.only) != std::string_view::npos)
            chosen.push_back(one);
    GpuObservation observation(device, options, *programs);
    std::vector<ObservationRow> rows;
    for (const Observable& one : chosen) {
        if (options.cancel.cancelled())
            return fail(interruption());
        SPARSERL_TRY(auto row, observation.observe(one, chosen.size()));
        rows.push_back(std::move(row));
        if (options.progress)
            options.progress(static_cast<double>(rows.size()) / static_cast<double>(chosen.size()));
    }
    return rows;
}

} // namespace sparserl
