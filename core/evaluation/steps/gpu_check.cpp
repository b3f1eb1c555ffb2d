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

Result<GpuCheck> GpuCheck::make(const TargetTask& task, GpuCases cases, const JudgeOptions& options,
                                bool assemble, double limitMicroseconds, const BaselineTiming& baseline)
{
    GpuCheck check;
    const ProgramState& state = task.state();
    const TargetVariant& variant = task.target().variant;
    check.m_cases = std::move(cases);
    GpuJob& job = check.m_job;
    job.program = state.program.text;
    job.ptx = state.compiled.ptx;
    if (!assemble)
        job.cubin = state.compiled.cubin;
    job.variant = variant;
    job.limitMicroseconds = limitMicroseconds;
    std::uint64_t bytes = 0;
    for (const GpuCalls* calls : {&check.m_cases.exact, &check.m_cases.repeated})
        job.before.push_back(check.caseOf(*calls, bytes));
    if (task.request.measured) {
        GpuTiming timing;
        timing.contents = check.m_cases.timed.key;
        timing.inputsKey = check.m_cases.inputsKey;
        timing.ring = check.m_cases.ring;
        timing.underflow = underflowOf(state.compiled.traits.flushes, variant.type);
        timing.dropAbove = baseline.algorithm.empty()
                               ? limitMicroseconds // Nothing says what is slow here.
                               : std::max(hopelesslySlow * baseline.warm.median, shortestHopeless);
        timing.samples = options.gpuSamples;
        timing.cold = options.gpuCold;
        if (options.gpuInTurn && options.timing == "standard")
            timing.against = baseline.algorithm;
        timing.meanCalls = options.timing == "paper" ? 1000 : 0;
        timing.seed = check.m_cases.timingSeed;
        job.timing = std::move(timing);
        addFile(check.m_files, check.m_cases.timed);
    }
    for (const GpuCalls& calls : check.m_cases.after)
        job.after.push_back(check.caseOf(calls, bytes));
    check.m_files.emplace_back(check.m_cases.inputsKey, check.m_cases.inputs);

    SPARSERL_TRY(auto memory, SharedBuffer::create(bytes));
    check.m_memory = std::make_shared<SharedBuffer>(std::move(memory));
    for (std::size_t i = 0; i < job.after.size(); ++i) {
        std::vector<Numbers>& before = check.m_cases.after[i].before;
        for (std::size_t k = 0; k < before.size(); ++k)
            check.m_memory->put(job.after[i].calls[k].before.front().at, before[k]);
        before.clear();
    }
    check.m_atomic = state.compiled.traits.atomics;
    check.m_flushes = state.compiled.traits.flushes;
    return check;
}

GpuCase GpuCheck::caseOf(const GpuCalls& calls, std::uint64_t& bytes)
{
    const ElementType type = m_job.variant.type;
    GpuCase one{calls.contents.key, m_cases.inputsKey, {}, calls.seed, calls.mayNotBind};
    for (std::size_t i = 0; i < calls.inputs.size(); ++i) {
        CallRanges& call = one.calls.emplace_back();
        call.inputs = calls.inputs[i];
        for (const std::size_t count : calls.expected[i]->outputs())
            call.outputs.push_back(takeRoom(bytes, count, type));
        if (i < calls.factors.size()) {
            call.by = calls.factors[i];
            call.before.push_back(takeRoom(bytes, calls.before[i].size(), type));
        }
    }
    addFile(m_files, calls.contents);
    return one;
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
    return std::as_const(*m_memory).numbers(range.type, range.at, range.count);
}

std::optional<CaseFailure> GpuCheck::wrong(const CallRanges& call, const Expectation& expected, bool exact,
                                           TargetFindings& findings) const
{
    std::vector<NumberView> outputs;
    for (const NumberRange& range : call.outputs)
        outputs.push_back(numbersAt(range));
    const Comparison compared = expected.compare(outputs, exact       ? Tolerance::Exact
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
    const std::vector<CallRanges>& calls = m_job.before.back().calls;
    const auto isWrong = [&](std::size_t i) {
        return wrong(calls[i], *m_cases.repeated.expected[i], m_cases.repeated.exact, findings);
    };
    if (auto failure = isWrong(0))
        return failure;
    for (std::size_t i = 1; i < calls.size(); ++i) {
        for (std::size_t k = 0; k < calls[i].outputs.size(); ++k) {
            const NumberView first = numbersAt(calls[0].outputs[k]);
            const NumberView other = numbersAt(calls[i].outputs[k]);
            const auto differs = firstDifference(first, other);
            if (!differs)
                continue;
            if (auto failure = isWrong(i))
                return failure;
            findings.nondeterministic = true;
            if (m_atomic)
                continue;
            const int digits = NumberFormat::of(first.type()).textDigits();
            CaseFailure failure;
            failure.fault.emplace();
            failure.fault->kind = FaultKind::Race;
            failure.fault->message = fmt::format(
                "element {} of the output is {:.{}g} in one run and {:.{}g} in another, with the same input "
                "and without atomics",
                *differs, first[*differs], digits, other[*differs], digits);
            return failure;
        }
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
        const bool repeated = i + 1 == m_job.before.size();
        findings.failure = repeated ? compareRepeats(findings)
                                    : wrong(m_job.before[i].calls[0], *m_cases.exact.expected[0],
                                            m_cases.exact.exact, findings);
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
        const GpuCalls& calls = m_cases.after[i];
        for (std::size_t k = 0; k < calls.expected.size(); ++k) {
            findings.failure = wrong(m_job.after[i].calls[k], *calls.expected[k], calls.exact, findings);
            if (!findings.failure)
                continue;
            findings.failure->caseName = calls.mayNotBind ? siblingCase : "";
            if (k < calls.factors.size() && calls.factors[k] != CallFactors{})
                findings.failure->factors = calls.factors[k];
            return findings;
        }
    }
    findings.measured = answer.timing;
    return findings;
}

} // namespace sparserl
