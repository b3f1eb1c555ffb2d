// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/sparse_cases.h"

#include "evaluation/cases/further_calls.h"
#include "evaluation/cases/sparse_checks.h"
#include "evaluation/cases/sparse_gpu_cases.h"
#include "evaluation/cases/sparse_relatives.h"
#include "evaluation/cases/target_context.h"

#include <algorithm>
#include <iterator>

namespace sparserl {

namespace {

/// Different inputs for a matrix, when it is simulated for every program: references take as long as a
/// product.
constexpr std::uint64_t inputSets = 4;

/// Copies of a matrix with this many bytes are made for one matrix at a time.
constexpr std::int64_t largeBytes = std::int64_t(128) << 20;

std::unique_lock<std::mutex> lockIfLarge(std::mutex& largeOnes, const Csr& matrix)
{
    return matrix.bytes() < largeBytes ? std::unique_lock<std::mutex>() : std::unique_lock(largeOnes);
}

class SparseCases : public TargetCases
{
public:
    SparseCases(const CaseMaker& maker, GpuInputSets& gpuInputs, std::mutex& largeOnes,
                std::shared_ptr<TargetContext> context)
        : m_maker(maker)
        , m_gpuInputs(gpuInputs)
        , m_largeOnes(largeOnes)
        , m_context(std::move(context))
    {
    }
    const std::string& digest() const override { return m_context->digest(); }
    std::int64_t bytes() const override { return m_context->bytes(); }
    const SharedContents& own() const override { return m_context->own(); }
    Workload workload(const TargetVariant& variant) const override { return m_context->workload(variant); }
    bool isCheap(const TargetVariant& variant) const override
    {
        return simulationWork(*m_context->own().matrix, variant.columns) <= m_maker.options().gpuSimulateAll;
    }
    Result<CasePlan> onSimulator(const CaseRequest& request) override;
    Result<CasePlan> beforeGpu(const CaseRequest& request, bool whole) override;
    Result<CasePlan> fullCheck(const CaseRequest& request) override;
    Result<GpuCases> onGpu(const CaseRequest& request, bool again) override;

private:
    /// The context, for one thread at a time.
    struct Alone
    {
        std::unique_lock<std::mutex> large, context;
    };
    Alone lock()
    {
        auto large = lockIfLarge(m_largeOnes, *m_context->own().matrix);
        return {std::move(large), std::unique_lock(m_mutex)};
    }

    const CaseMaker& m_maker;
    GpuInputSets& m_gpuInputs;
    std::mutex& m_largeOnes;
    std::mutex m_mutex;
    std::shared_ptr<TargetContext> m_context;
};

Result<CasePlan> SparseCases::onSimulator(const CaseRequest& request)
{
    const auto alone = lock();
    const auto columns = request.variant.columns;
    TargetContext& context = *m_context;
    const JudgeOptions& options = m_maker.options();
    const std::uint64_t seed = deriveSeed(options.secret(), request.seed, "schedule " + context.digest());
    CasePlan cases;
    // Which checks run where depends on nothing but the matrix, so that verdicts do not depend on what
    // else was judged.
    const Workload work = context.own().workload(request.variant);
    const bool full = work.sizes().nnz * columns <= options.fullCheckNnz;
    if (!request.checked) {
        SPARSERL_CHECK(addRelatives(cases, m_maker, context, request.variant, seed, !full, request.factors));
    }
    const auto inputs = context.inputs(request.seed, columns);
    SPARSERL_TRY(const auto variants, context.variants(request.seed, columns, true));
    const auto& observer = options.observer;
    std::uint64_t schedule = seed + 16; // After those of the relatives.
    const bool timed = request.measured;
    const auto add = [&](const SharedContents& contents, std::vector<Numbers> x,
                         const std::vector<const Reference*>& expected, CaseCheck check, Checks level,
                         bool asTimed = false) {
        for (const Reference* one : expected)
            check.references.emplace_back(inputs, one);
        // Times mean something, and are the same everywhere.
        auto settings = asTimed || level == Checks::Counters ? m_maker.inOrder(schedule, level, work)
                                                             : m_maker.settings(schedule, level, work);
        ++schedule;
        settings.drawnBlocks = !full && level != Checks::All; // What is too large to be checked whole.
        settings.lineCounters = check.timed && request.lineCounters;
        settings.mark = observer && observer->control == JudgeObserver::Control::Mark;
        cases.add(contents, std::move(x), settings, std::move(check));
    };
    // With every check; in order for counters and the time; with inputs of many kinds. Then nearly its
    // own values, those of other matrices, and exact ones. A program can tell that it runs as the timed
    // call does, so that call is run with every check as well: always in verdicts that count, in others
    // by lot, in place of the one in another order.
    const bool every = options.everyKind;
    const bool timedIsChecked =
        full && !request.checked && (every || Rng(seed).derive("checked call").next() & 1);
    const auto checkOf = [](CaseValues values, std::vector<InputKind> kinds, bool reported = false) {
        CaseCheck check;
        check.values = values;
        check.kinds = std::move(kinds);
        check.timed = reported;
        return check;
    };
    if (!request.checked && (every || !timed || !timedIsChecked))
        add(context.own(), {inputs->checked.x}, {&inputs->checkedReference},
            checkOf(CaseValues::Ordinary, {inputs->checked.kind}, !timed), full ? Checks::All : Checks::None);
    if (timed && timedIsChecked) // A run of its own: times do not depend on what is checked.
        add(context.timed(), {inputs->timed.x}, {&inputs->timedReference},
            checkOf(CaseValues::Ordinary, {inputs->timed.kind}), Checks::All, true);
    if (timed) {
        add(context.timed(), {inputs->timed.x}, {&inputs->timedReference},
            checkOf(CaseValues::Ordinary, {inputs->timed.kind}, true), Checks::Counters);
        if (every && !request.checked) { // Its own values take the same work.
            auto same = checkOf(CaseValues::Ordinary, {inputs->firstKind});
            same.sameWorkAs = static_cast<int>(cases.size()) - 1;
            --schedule; // Nothing but values differs.
            add(context.own(), {inputs->first}, {&inputs->firstReference}, std::move(same), Checks::Counters);
        }
    }
    auto exact = checkOf(CaseValues::Exact, {});
    exact.exact = true;
    if (!request.checked) {
        // In verdicts that count, with every check as long as that is affordable.
        auto further = specialCalls(context.own(), specialMixture(inputs), checkOf(CaseValues::Ordinary, {}),
                                    IfSpent::Unchecked, seed);
        std::ranges::move(variantCalls(variants, IfSpent::Unchecked, seed), std::back_inserter(further));
        if (full && every) {
            SPARSERL_TRY(auto checked, checkedCalls(context, inputs));
            std::ranges::move(checked, std::back_inserter(further));
        } else {
            for (FurtherCalls& one : further) {
                one.checks = Checks::None;
                one.ifSpent = IfSpent::Runs;
                one.drawnBlocks = !full; // What is too large to be checked whole.
            }
        }
        const auto added = static_cast<std::uint64_t>(further.size());
        addFurther(cases, m_maker, std::move(further), request.variant, schedule, request.factors);
        schedule += added;
        const bool exactAsTimed = Rng(seed).derive("exact call").next() & 1;
        add(context.exact(), {inputs->exact}, {&inputs->exactReference}, exact, Checks::None, exactAsTimed);
        if (every) {
            add(context.exact(), {inputs->exact}, {&inputs->exactReference}, exact, Checks::None,
                !exactAsTimed);
            SPARSERL_TRY(const auto wide, context.wide());
            add(wide, {inputs->wide}, {&inputs->wideReference}, checkOf(CaseValues::Wide, {}), Checks::None);
        }
        addScaledTarget(cases, m_maker, context, request,
                        deriveSeed(options.secret(), request.seed, "factors " + context.digest()),
                        full && every ? Checks::All : Checks::None, !full, every);
    }
    return cases;
}

Result<CasePlan> SparseCases::beforeGpu(const CaseRequest& request, bool whole)
{
    const auto alone = lock();
    TargetContext& context = *m_context;
    const TargetVariant& variant = request.variant;
    const std::uint64_t seed = deriveSeed(m_maker.secret(), request.seed, "schedule " + context.digest());
    CasePlan cases;
    SPARSERL_CHECK(addRelatives(cases, m_maker, context, variant, seed, !whole, request.factors));
    if (request.lineCounters) {
        const auto inputs = context.inputs(request.seed, variant.columns);
        CaseCheck check;
        check.timed = true;
        check.references = {std::shared_ptr<const Reference>(inputs, &inputs->firstReference)};
        auto one = m_maker.inOrder(seed + 4, Checks::Counters, context.own().workload(variant));
        one.lineCounters = true;
        cases.add(context.own(), {inputs->first}, one, std::move(check));
    }
    if (whole)
        SPARSERL_CHECK(addTarget(cases, m_maker, context, request, request.seed % inputSets, seed + 3,
                                 m_maker.options().everyKind));
    return cases;
}

Result<CasePlan> SparseCases::fullCheck(const CaseRequest& request)
{
    const auto alone = lock();
    const std::uint64_t seed = deriveSeed(m_maker.secret(), request.seed, "quarantine");
    CasePlan cases;
    SPARSERL_CHECK(
        addFullCheck(cases, m_maker, *m_context, request, seed, m_maker.options().gpuSimulateWhole));
    return cases;
}

Result<GpuCases> SparseCases::onGpu(const CaseRequest& request, bool again)
{
    const auto alone = lock();
    const std::int64_t columns = request.variant.columns;
    SPARSERL_TRY(const auto inputs, again ? m_gpuInputs.unused(*m_context, columns)
                                          : m_gpuInputs.forSeed(*m_context, columns, request.seed));
    const std::uint64_t seed =
        deriveSeed(m_maker.secret(), request.seed, (again ? "quarantine " : "GPU ") + m_context->digest());
    return gpuCases(*m_context, inputs, request, m_maker.options().everyKind, seed);
}

} // namespace

SparseKind::SparseKind(const CaseMaker& maker)
    : m_maker(maker)
    , m_gpuInputs(maker.secret(), maker.options().everyKind)
{
}

Result<std::unique_ptr<SparseKind>> SparseKind::make(const CaseMaker& maker)
{
    std::unique_ptr<SparseKind> made(new SparseKind(maker));
    SPARSERL_TRY(made->m_battery, SparseBattery::make(maker));
    return made;
}

std::string SparseKind::digestOf(const TargetId& id) const
{
    return TargetContext::digestFor(id);
}

Result<std::unique_ptr<TargetCases>> SparseKind::make(const Target& target)
{
    if (!target.matrix || target.id.contents.empty())
        return fail("a request names no matrix");
    const auto alone = lockIfLarge(m_largeOnes, *target.matrix);
    SPARSERL_TRY(auto context, TargetContext::make(target, m_maker.secret(), m_maker.options().everyKind));
    return std::make_unique<SparseCases>(m_maker, m_gpuInputs, m_largeOnes, std::move(context));
}

} // namespace sparserl
