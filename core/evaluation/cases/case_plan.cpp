// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/case_plan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

std::uint64_t defaultStepBudget(const Workload& work)
{
    if (work.signature()) {
        // One thread for everything, or a row per thread that reads its row several times, is honest, too.
        constexpr double stepsOfOne = 200, most = 1e12;
        double count = work.flops();
        for (const WorkTensor& tensor : work.tensors())
            count += static_cast<double>(tensor.count());
        return 500'000 + static_cast<std::uint64_t>(std::min(most, stepsOfOne * count));
    }
    // A thread per column of A, or a copy of x, is an honest style as well.
    const SparseSizes& sizes = work.sizes();
    const std::int64_t steps = 2500 * sizes.rows + 200 * sizes.nnz + 16 * sizes.cols;
    return static_cast<std::uint64_t>(500'000 +
                                      steps * std::max<std::int64_t>(1, work.variant().columns / 4));
}

std::uint64_t paddingSteps(const BoundPlan& plan, const Workload& work)
{
    const std::int64_t columns = work.variant().columns;
    std::int64_t stored = 0;
    for (const BoundBuffer& buffer : plan.buffers)
        if (buffer.role == BufferRole::Matrix && buffer.type == work.variant().type)
            stored += buffer.count;
    const std::int64_t padding = std::max<std::int64_t>(0, stored - work.sizes().nnz);
    // Warps that find nothing to do take some instructions, too. Grids beyond that are no use to anyone.
    constexpr std::int64_t stepsOfWarp = 24, mostWarps = 1'000'000;
    double warps = 0;
    for (const BoundCall& call : plan.launches)
        warps += static_cast<double>(call.grid[0]) * static_cast<double>(call.grid[1]) *
                 static_cast<double>(call.grid[2]) *
                 std::ceil(static_cast<double>(call.block[0] * call.block[1] * call.block[2]) / 32);
    return static_cast<std::uint64_t>(24 * padding * std::max<std::int64_t>(1, columns / 4) +
                                      stepsOfWarp *
                                          static_cast<std::int64_t>(std::min<double>(mostWarps, warps)));
}

namespace {

/// Of its launches, without prepare kernels.
MeasuredWork workOf(const ExecutionResult& result)
{
    MeasuredWork work{result.steps - result.prepareSteps, 0, result.failedSwaps};
    for (const LaunchReport& launch : result.launches)
        work.sectors += launch.prepare ? 0 : launch.distinctSectors;
    return work;
}

/// Whether two calls on one pattern touched as much memory, with about as many instructions: functions of the
/// math library and loops that wait for each other take some more for some numbers, and read other places of
/// their tables. An addition by
/// compare-and-swap is tried again where another lane changed the sum, which depends on the values: where
/// they leave it as it is, nothing is.
bool isSameWork(const MeasuredWork& a, const MeasuredWork& b)
{
    constexpr double ofSectors = 0.001, ofTables = 16, ofSteps = 0.25, stepsOfRetry = 24;
    const auto near = [](auto one, auto other, double share, double beside) {
        const auto x = static_cast<double>(one), y = static_cast<double>(other);
        return std::abs(x - y) <= share * std::max(x, y) + beside;
    };
    const double retries = std::abs(static_cast<double>(a.failedSwaps) - static_cast<double>(b.failedSwaps));
    return near(a.sectors, b.sectors, ofSectors, ofTables) &&
           near(a.steps, b.steps, ofSteps, stepsOfRetry * retries);
}

} // namespace

void CasePlan::add(const SharedContents& contents, std::vector<CallNumbers> calls, SimulationCase settings,
                   CaseCheck check)
{
    settings.contents = contents.key;
    settings.stepBudget *= std::max<std::uint64_t>(1, calls.size());
    addFile(m_files, contents);
    m_cases.push_back({std::move(settings), std::move(check), std::move(calls), {}});
}

void CasePlan::add(const SharedContents& contents, std::vector<Numbers> inputs, SimulationCase settings,
                   CaseCheck check)
{
    std::vector<CallNumbers> calls;
    for (Numbers& one : inputs)
        calls.emplace_back().push_back(std::move(one));
    add(contents, std::move(calls), std::move(settings), std::move(check));
}

void CasePlan::add(const SharedContents& contents, std::vector<ScaledInput> inputs, SimulationCase settings,
                   CaseCheck check)
{
    std::vector<Numbers> x, before;
    for (ScaledInput& one : inputs) {
        x.push_back(std::move(one.input.x));
        before.push_back(std::move(one.before));
        check.kinds.push_back(one.input.kind);
        check.factors.push_back(one.by);
        check.references.push_back(std::move(one.expected));
    }
    add(contents, std::move(x), std::move(settings), std::move(check));
    m_cases.back().before = std::move(before);
}

Result<std::shared_ptr<SharedBuffer>> CasePlan::fill(SimulationJob& job, const TargetVariant& variant)
{
    std::uint64_t bytes = 0;
    const bool ownTypes = variant.task() == Task::Operator; // Its tensors have types of their own.
    const auto room = [&](std::uint64_t count, ElementType type) { return takeRoom(bytes, count, type); };
    for (Case& one : m_cases) {
        if (one.check.references.size() < one.inputs.size())
            return fail("a call of a simulation has nothing that its outputs should be");
        std::vector<CallRanges>& calls = one.settings.calls;
        calls.resize(one.inputs.size());
        for (std::size_t i = 0; i < calls.size(); ++i)
            for (const Numbers& input : one.inputs[i])
                calls[i].inputs.push_back(room(input.size(), ownTypes ? input.type() : variant.type));
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const std::vector<std::size_t> counts = one.check.references[i]->outputs();
            const std::vector<ElementType> types = one.check.references[i]->outputTypes();
            for (std::size_t k = 0; k < counts.size(); ++k)
                calls[i].outputs.push_back(room(counts[k], k < types.size() ? types[k] : variant.type));
        }
        for (std::size_t i = 0; i < one.before.size(); ++i) {
            calls[i].by = one.check.factors[i];
            calls[i].before.push_back(room(one.before[i].size(), variant.type));
        }
    }
    SPARSERL_TRY(auto memory, SharedBuffer::create(bytes));
    job.variant = variant;
    const auto put = [&](const NumberRange& range, const Numbers& numbers) {
        return numbers.type() == range.type && memory.put(range.at, numbers);
    };
    for (Case& one : m_cases) {
        for (std::size_t i = 0; i < one.inputs.size(); ++i)
            for (std::size_t k = 0; k < one.inputs[i].size(); ++k)
                if (!put(one.settings.calls[i].inputs[k], one.inputs[i][k]))
                    return fail(
                        "the inputs of a simulation have a different element type than the simulation");
        for (std::size_t i = 0; i < one.before.size(); ++i)
            if (!put(one.settings.calls[i].before.front(), one.before[i]))
                return fail("an output of a simulation is of another type than it");
        one.inputs.clear();
        one.before.clear();
        job.cases.push_back(one.settings);
    }
    return std::make_shared<SharedBuffer>(std::move(memory));
}

std::uint64_t CasePlan::totalSteps() const
{
    std::uint64_t steps = 0;
    for (const auto& one : m_cases)
        steps += one.settings.stepBudget;
    return steps;
}

void CasePlan::tell(const JudgeObserver& observer, std::string_view program,
                    const std::vector<CaseAnswer>& answers) const
{
    for (std::size_t i = 0; i < m_cases.size() && i < answers.size(); ++i) {
        const CaseCheck& check = m_cases[i].check;
        const SimulationCase& settings = m_cases[i].settings;
        JudgedCall call{program,
                        check.name.empty(),
                        check.values,
                        {},
                        answers[i].unchecked ? Checks::None : settings.checks,
                        settings.schedule,
                        settings.layout,
                        0};
        for (std::size_t k = 0; k < answers[i].result.observed.size(); ++k) {
            call.kind = k < check.kinds.size() ? check.kinds[k] : InputKind::Random;
            call.word = answers[i].result.observed[k];
            observer.call(call);
        }
    }
}

Result<CaseFindings> CasePlan::judge(const std::vector<CaseAnswer>& answers, const SharedBuffer& memory,
                                     bool flushes) const
{
    CaseFindings findings;
    const auto failure = [&](const CaseCheck& check, const CaseAnswer& answer) -> CaseFailure& {
        findings.failure.emplace();
        findings.failure->caseName = check.name;
        findings.failure->lines = answer.result.lines;
        findings.failure->ptxLines = answer.result.ptxLines;
        return *findings.failure;
    };
    std::optional<BindFailure> firstSkipped;
    std::int64_t skipped = 0;
    for (std::size_t i = 0; i < m_cases.size(); ++i) {
        const Case& one = m_cases[i];
        if (i >= answers.size())
            return fail("a runner left cases of a simulation out");
        const CaseAnswer& answer = answers[i];
        if (answer.leftOut && one.settings.ifSpent != IfSpent::LeftOut)
            return fail("a runner left a case out that has to run");
        if (answer.leftOut)
            continue;
        if (answer.bind && one.check.sibling)
            continue;
        if (answer.bind && answer.bind->kind == BindFailure::Kind::FormatError && one.check.mayNotApply) {
            if (skipped++ == 0)
                firstSkipped = answer.bind;
            continue;
        }
        if (answer.bind || answer.fault) {
            auto& found = failure(one.check, answer);
            found.bind = answer.bind;
            found.fault = answer.fault;
            return findings;
        }
        const auto outputsOf = [&](const Case& of) {
            std::vector<std::vector<NumberView>> outputs;
            for (const CallRanges& call : of.settings.calls) {
                auto& written = outputs.emplace_back();
                for (const NumberRange& range : call.outputs)
                    written.push_back(memory.numbers(range.type, range.at, range.count));
            }
            return outputs;
        };
        const auto outputs = outputsOf(one);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const auto tolerance = one.check.exact ? Tolerance::Exact
                                   : flushes       ? Tolerance::Flushed
                                                   : Tolerance::Bound;
            const Comparison compared = one.check.references[k]->compare(outputs[k], tolerance);
            findings.boundShare = std::max(findings.boundShare, compared.boundShare);
            if (compared.wrong) {
                CaseFailure& found = failure(one.check, answer);
                found.wrong = compared.wrong;
                if (k < one.check.factors.size() && one.check.factors[k] != CallFactors{})
                    found.factors = one.check.factors[k];
                return findings;
            }
        }
        for (std::size_t k = 0; one.check.linear && outputs.size() >= 3 && k < outputs[0].size(); ++k)
            if (auto wrong = firstNonLinear(outputs[0][k], outputs[1][k], outputs[2][k], 2, -3,
                                            one.check.references[0]->columns)) {
                auto& found = failure(one.check, answer);
                found.wrong = wrong;
                found.nonLinear = true;
                return findings;
            }
        if (one.check.repeats >= 0) {
            const auto earlier = outputsOf(m_cases[static_cast<std::size_t>(one.check.repeats)]);
            for (std::size_t k = 0; k < outputs.size() && k < earlier.size(); ++k)
                for (std::size_t i = 0; i < outputs[k].size() && i < earlier[k].size(); ++i)
                    if (!std::ranges::equal(earlier[k][i].bytes(), outputs[k][i].bytes()))
                        findings.nondeterministic = true;
        }
        if (one.check.sameWorkAs >= 0) {
            const MeasuredWork own = workOf(answer.result);
            const MeasuredWork other = workOf(answers[static_cast<std::size_t>(one.check.sameWorkAs)].result);
            if (!isSameWork(own, other)) {
                failure(one.check, answer).otherWork = {own, other};
                return findings;
            }
        }
        if (one.check.timed)
            findings.timed = answer;
    }
    // A plan line must not switch the tests off.
    const std::int64_t tests =
        std::count_if(m_cases.begin(), m_cases.end(), [](const Case& one) { return one.check.mayNotApply; });
    if (7 * (tests - skipped) < 5 * tests) {
        auto& found = failure({}, {});
        found.bind = firstSkipped;
        found.bind->reason =
            fmt::format("the format applies to {} of {} test matrices, too few to judge the program: {}",
                        tests - skipped, tests, firstSkipped->reason);
    }
    return findings;
}

} // namespace sparserl
