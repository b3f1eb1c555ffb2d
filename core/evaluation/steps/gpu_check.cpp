// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/gpu_check.h"

#include "device/float32.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// A correct program this many times slower than the baseline is not worth a second of the GPU.
constexpr double hopelesslySlow = 20;
constexpr double shortestHopeless = 1000; ///< Microseconds.

} // namespace

Result<GpuCheck> GpuCheck::make(const TargetTask& task, const std::shared_ptr<const GpuInputs>& inputs,
                                const JudgeOptions& options, std::uint64_t seed, bool assemble,
                                double limitMicroseconds, const BaselineTiming& baseline)
{
    GpuCheck check;
    const ProgramState& state = task.state();
    TargetContext& context = *task.context;
    GpuJob& job = check.m_job;
    job.program = state.program.text;
    job.ptx = state.compiled.ptx;
    if (!assemble)
        job.cubin = state.compiled.cubin;
    job.denseColumns = task.columns();
    check.m_type = context.type();
    std::uint64_t bytes = 0;
    const auto count = static_cast<std::uint64_t>(task.columns() * context.own().matrix->rows);
    const auto room = [&] { return takeRoom(bytes, count, check.m_type); };
    const std::string target = context.own().key;
    job.before.push_back({context.exact().key, inputs->key, {inputs->exact}, {room()}, {}, seed});
    GpuCase repeated{target, inputs->key, {}, {}, {}, seed + 1};
    for (int i = 0; i < repeats; ++i) {
        repeated.inputs.push_back(inputs->first);
        repeated.outputs.push_back(room());
    }
    job.before.push_back(std::move(repeated));
    job.limitMicroseconds = limitMicroseconds;
    if (task.request.measured) {
        GpuTiming timing;
        timing.matrix = context.timed().key; // Nothing is gained by what the target's values are.
        timing.inputsKey = inputs->key;
        timing.ring = inputs->ring;
        timing.underflow = underflowOf(state.compiled.traits.flushes, check.m_type);
        timing.dropAbove = baseline.algorithm.empty()
                               ? limitMicroseconds // Nothing says what is slow here.
                               : std::max(hopelesslySlow * baseline.warm.median, shortestHopeless);
        timing.samples = options.gpuSamples;
        timing.cold = options.gpuCold;
        if (options.gpuInTurn && options.timing == "standard")
            timing.against = baseline.algorithm;
        timing.meanCalls = options.timing == "paper" ? 1000 : 0;
        timing.seed = seed + 2;
        job.timing = std::move(timing);
    }
    SPARSERL_TRY(const auto wide, context.wide());
    job.after.push_back({wide.key, inputs->key, {inputs->wide}, {room()}, {}, seed + 3});
    check.m_after.push_back({&inputs->wideReference});
    GpuCase special{target, inputs->key, inputs->special, {}, {}, seed + 4};
    check.m_after.emplace_back();
    for (const Reference& expected : inputs->specialReferences) {
        special.outputs.push_back(room());
        check.m_after.back().push_back(&expected);
    }
    job.after.push_back(std::move(special));
    check.m_exact.resize(job.after.size());
    for (std::size_t i = 0; i < inputs->variants->size(); ++i) {
        const VariantCase& one = (*inputs->variants)[i];
        job.after.push_back({one.variant->matrix.key,
                             inputs->key,
                             {inputs->variantInputs[i]},
                             {room()},
                             {},
                             seed + 5 + i,
                             one.variant->otherPattern()});
        check.m_after.push_back({&one.expected});
        check.m_exact.push_back(one.variant->exact());
    }
    check.m_inputs = inputs;
    if (task.factors().any())
        check.addScaled(task, options.everyKind, seed, bytes);

    SPARSERL_TRY(auto memory, SharedBuffer::create(bytes));
    check.m_memory = std::make_shared<SharedBuffer>(std::move(memory));
    for (auto& [at, numbers] : check.m_before)
        check.m_memory->put(at, numbers);
    check.m_before.clear();
    for (const SharedMatrix& matrix : {context.own(), context.exact(), wide, context.timed()})
        addFile(check.m_files, matrix);
    check.m_files.emplace_back(inputs->key, inputs->buffer);
    for (const VariantCase& one : *inputs->variants)
        addFile(check.m_files, one.variant->matrix);
    check.m_atomic = state.compiled.traits.atomics;
    check.m_flushes = state.compiled.traits.flushes;
    return check;
}

void GpuCheck::addScaled(const TargetTask& task, bool everyKind, std::uint64_t seed, std::uint64_t& bytes)
{
    const FactorUse use = task.factors();
    const SharedMatrix& own = task.context->own();
    Rng rng = Rng(seed).derive("factors");
    const auto add = [&](GpuCase& to, ScaledInput one) {
        const NumberRange before = takeRoom(bytes, one.before.size(), m_type);
        to.scaled.push_back({one.by, before});
        m_before.emplace_back(before.at, std::move(one.before));
        m_expected.push_back(std::move(one.expected));
        return m_expected.back().get();
    };
    // What the program meets on siblings of the target, half of the time.
    for (std::size_t i = 0; i < m_inputs->variants->size(); ++i) {
        const VariantCase& one = (*m_inputs->variants)[i];
        if (!one.variant->otherPattern() || one.variant->exact())
            continue;
        const std::size_t at = m_job.after.size() - m_inputs->variants->size() + i;
        m_after[at] = {
            add(m_job.after[at], perhapsScaled(use, *one.variant->matrix.matrix, one.input,
                                               std::shared_ptr<const Reference>(m_inputs, &one.expected),
                                               task.columns(), rng))};
    }
    GpuCase scaled{own.key, m_inputs->key, {}, {}, {}, rng.next()};
    m_after.emplace_back();
    m_exact.push_back(false);
    for (const FactorKind kind : drawnFactorKinds(use, everyKind ? factorKinds(use).size() : 1, rng)) {
        const bool asTimed = m_inputs->special.empty() || rng.chance(0.5);
        const NumberRange range =
            asTimed ? m_inputs->first : m_inputs->special[rng.below(m_inputs->special.size())];
        const NumberView x = std::as_const(*m_inputs->buffer).numbers(m_type, range.at, range.count);
        Input input{InputKind::Random, Numbers(m_type, x.size()), asTimed ? Signs::Random : Signs::Any};
        for (std::size_t i = 0; i < x.size(); ++i)
            input.x.set(i, x[i]);
        ScaledInput one = scaledInput(kind, use, *own.matrix, std::move(input), task.columns(), rng);
        scaled.inputs.push_back(range);
        scaled.outputs.push_back(takeRoom(bytes, one.before.size(), m_type));
        m_after.back().push_back(add(scaled, std::move(one)));
    }
    m_job.after.push_back(std::move(scaled));
}

std::optional<CaseFailure> GpuCheck::faultOf(const CaseAnswer& answer) const
{
    if (!answer.bind && !answer.fault)
        return std::nullopt;
    CaseFailure failure;
    failure.bind = answer.bind;
    failure.fault = answer.fault;
    return failure;
}

NumberView GpuCheck::numbersAt(const NumberRange& range) const
{
    return std::as_const(*m_memory).numbers(m_type, range.at, range.count);
}

std::optional<CaseFailure> GpuCheck::wrong(const NumberRange& output, const Reference& expected, bool exact,
                                           TargetFindings& findings) const
{
    auto compared = compare(numbersAt(output), expected,
                            exact       ? Tolerance::Exact
                            : m_flushes ? Tolerance::Flushed
                                        : Tolerance::Bound);
    findings.boundShare = std::max(findings.boundShare, compared.boundShare);
    if (!compared.wrong)
        return std::nullopt;
    CaseFailure failure;
    failure.wrong = compared.wrong;
    return failure;
}

std::optional<CaseFailure> GpuCheck::compareRepeats(TargetFindings& findings) const
{
    const auto& outputs = m_job.before.back().outputs;
    const NumberView first = numbersAt(outputs[0]);
    if (auto failure = wrong(outputs[0], m_inputs->firstReference, false, findings))
        return failure;
    for (std::size_t i = 1; i < outputs.size(); ++i) {
        const NumberView other = numbersAt(outputs[i]);
        const auto differs = firstDifference(first, other);
        if (!differs)
            continue;
        if (auto failure = wrong(outputs[i], m_inputs->firstReference, false, findings))
            return failure;
        findings.nondeterministic = true;
        if (m_atomic)
            continue;
        const int digits = NumberFormat::of(m_type).textDigits();
        CaseFailure failure;
        failure.fault.emplace();
        failure.fault->kind = FaultKind::Race;
        failure.fault->message = fmt::format(
            "element {} of the output is {:.{}g} in one run and {:.{}g} in another, with the same input "
            "and without atomics",
            *differs, first[*differs], digits, other[*differs], digits);
        return failure;
    }
    return std::nullopt;
}

Result<TargetFindings> GpuCheck::judge(const GpuAnswer& answer) const
{
    TargetFindings findings;
    for (std::size_t i = 0; i < m_job.before.size(); ++i) {
        if (i >= answer.before.size())
            return fail("a cuda runner left cases out");
        if ((findings.failure = faultOf(answer.before[i])))
            return findings;
        const bool exact = i + 1 < m_job.before.size();
        findings.failure = exact ? wrong(m_job.before[i].outputs[0], m_inputs->exactReference, true, findings)
                                 : compareRepeats(findings);
        if (findings.failure)
            return findings;
        findings.launches = answer.before[i].result.launches;
        findings.setupBytes = answer.before[i].setupBytes;
    }
    if (m_job.timing && !answer.timing)
        return fail("a cuda runner left the timing out");
    if (m_job.timing && answer.timing->fault) {
        findings.failure.emplace();
        findings.failure->fault = answer.timing->fault;
        return findings;
    }
    if (m_job.timing && !answer.timing->dropped) {
        const ComparedCalls& compared = answer.timing->compared;
        findings.boundShare = std::max(findings.boundShare, compared.boundShare);
        if (compared.wrong) {
            findings.failure.emplace();
            findings.failure->wrong = compared.wrong;
            return findings;
        }
        if (compared.calls == 0)
            return fail("a cuda runner timed a program and compared none of its calls");
    }
    for (std::size_t i = 0; i < m_job.after.size(); ++i) {
        if (i >= answer.after.size())
            return fail("a cuda runner left cases out");
        if (m_job.after[i].mayNotBind && answer.after[i].bind)
            continue;
        if ((findings.failure = faultOf(answer.after[i])))
            return findings;
        for (std::size_t k = 0; k < m_after[i].size(); ++k)
            if ((findings.failure = wrong(m_job.after[i].outputs[k], *m_after[i][k], m_exact[i], findings))) {
                findings.failure->caseName = m_job.after[i].mayNotBind ? siblingCase : "";
                if (k < m_job.after[i].scaled.size() && m_job.after[i].scaled[k].by != CallFactors{})
                    findings.failure->factors = m_job.after[i].scaled[k].by;
                return findings;
            }
    }
    findings.measured = answer.timing;
    return findings;
}

} // namespace sparserl
