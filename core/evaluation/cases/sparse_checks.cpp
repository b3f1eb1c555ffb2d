// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/sparse_checks.h"

#include "evaluation/cases/further_calls.h"
#include "evaluation/cases/relatives.h"

#include <algorithm>
#include <iterator>

namespace sparserl {

namespace {

/// Rows of a large matrix make up this part of what is simulated whole.
constexpr std::int64_t rowsShare = 4;

/// What an entry costs with so many columns, next to one of SpMV.
std::int64_t entryWork(std::int64_t columns)
{
    return std::max<std::int64_t>(1, columns / 4);
}

void addCase(CasePlan& cases, const CaseMaker& maker, const SharedContents& contents, const Numbers& x,
             std::shared_ptr<const Reference> expected, bool exact, const TargetVariant& variant,
             std::uint64_t seed, bool everyOrder)
{
    CaseCheck check;
    check.exact = exact;
    check.references = {std::move(expected)};
    maker.addOrders(cases, contents, CallNumbers{x}, check, variant, seed, everyOrder);
}

/// The call that is timed, and the same with the target's own values: in order, and counted.
void addSameWork(CasePlan& cases, const CaseMaker& maker, const TargetContext& context,
                 const std::shared_ptr<const EvaluationInputs>& inputs, const TargetVariant& variant,
                 std::uint64_t seed)
{
    const auto add = [&](const SharedContents& contents, const Numbers& x, const Reference& expected,
                         int sameWorkAs) {
        const auto one = maker.inOrder(seed, Checks::Counters, contents.workload(variant));
        CaseCheck check;
        check.references = {std::shared_ptr<const Reference>(inputs, &expected)};
        check.sameWorkAs = sameWorkAs;
        cases.add(contents, {x}, one, std::move(check));
    };
    add(context.timed(), inputs->timed.x, inputs->timedReference, -1);
    add(context.own(), inputs->first, inputs->firstReference, static_cast<int>(cases.size()) - 1);
}

} // namespace

std::int64_t simulationWork(const Csr& matrix, std::int64_t columns)
{
    return matrix.nnz() * entryWork(columns);
}

void addScaledTarget(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                     const CaseRequest& request, std::uint64_t seed, Checks checks, bool drawnBlocks,
                     bool everyKind)
{
    const FactorUse use = request.factors;
    if (!use.any())
        return;
    const std::int64_t columns = request.variant.columns;
    Rng rng(seed);
    const auto kinds = drawnFactorKinds(use, everyKind ? factorKinds(use).size() : 1, rng);
    const SharedMatrix& own = context.own();
    const auto inputs = [&](const std::vector<FactorKind>& of) {
        return scaledInputs(of, use, *own.matrix, context.range(), columns, rng);
    };
    const std::uint64_t schedules = rng.next();
    maker.addScaled(cases, own, inputs(kinds), {}, checks, drawnBlocks, request.variant, schedules);
    if (!everyKind || drawnBlocks) // An order of some blocks alone is none.
        return;
    const auto ordered = inputs({kinds.front()});
    maker.addOrders(cases, own, ordered.front(), {}, request.variant, rng.next(), true);
}

Status addTarget(CasePlan& cases, const CaseMaker& maker, TargetContext& context, const CaseRequest& request,
                 std::uint64_t inputsSeed, std::uint64_t scheduleSeed, bool everyOrder)
{
    const TargetVariant& variant = request.variant;
    const auto columns = variant.columns;
    const auto inputs = context.inputs(inputsSeed, columns);
    addCase(cases, maker, context.own(), inputs->first,
            {std::shared_ptr<const Reference>(inputs, &inputs->firstReference)}, false, variant, scheduleSeed,
            everyOrder);
    addScaledTarget(cases, maker, context, request, scheduleSeed + 48,
                    everyOrder ? Checks::All : Checks::None, false, everyOrder);
    if (!everyOrder)
        return {};
    addSameWork(cases, maker, context, inputs, variant, scheduleSeed + 32);
    std::vector<FurtherCalls> further =
        specialCalls(context.own(), specialMixture(inputs), {}, IfSpent::LeftOut, scheduleSeed);
    SPARSERL_TRY(const auto variants, context.variants(inputsSeed, columns, true));
    std::ranges::move(variantCalls(variants, IfSpent::LeftOut, scheduleSeed), std::back_inserter(further));
    SPARSERL_TRY(auto checked, checkedCalls(context, inputs));
    std::ranges::move(checked, std::back_inserter(further));
    addFurther(cases, maker, std::move(further), variant, scheduleSeed + 64, request.factors);
    return {};
}

Status addFullCheck(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                    const CaseRequest& request, std::uint64_t seed, std::int64_t mostWork)
{
    const TargetVariant& variant = request.variant;
    const auto columns = variant.columns;
    const Csr& matrix = *context.own().matrix;
    if (simulationWork(matrix, columns) <= mostWork) {
        const auto inputs = context.inputs(seed, columns);
        addCase(cases, maker, context.exact(), inputs->exact,
                {std::shared_ptr<const Reference>(inputs, &inputs->exactReference)}, true, variant, seed,
                false);
        return addTarget(cases, maker, context, request, seed, seed + 1, true);
    }
    Rng rng(seed);
    const std::int64_t entries = mostWork / rowsShare / entryWork(columns);
    SPARSERL_TRY(const auto relative, Relative::make(context.digest() + "/rows " + std::to_string(seed),
                                                     largeRelative(matrix, seed, entries), rng));
    const auto add = [&](const SharedMatrix& shared, const Numbers& x, bool exact, bool everyOrder) {
        addCase(cases, maker, shared, x,
                std::make_shared<const Reference>(reference(*shared.matrix, x, columns)), exact, variant,
                seed, everyOrder);
    };
    add(relative.exact, relative.exactValues.vector(columns, rng), true, true);
    add(relative.wide, wideVector(relative.scaling, columns, rng), false, false);
    add(relative.own, timedInput(relative.range, columns, rng).x, false, false);
    if (const FactorUse use = request.factors; use.any()) {
        const auto scaled = [&](const std::vector<FactorKind>& kinds) {
            return scaledInputs(kinds, use, *relative.own.matrix, relative.range, columns, rng);
        };
        maker.addScaled(cases, relative.own, scaled(factorKinds(use)), {}, Checks::All, false, variant, seed);
        maker.addOrders(cases, relative.own, scaled({factorKinds(use).front()}).front(), {}, variant,
                        seed + 32, true);
    }
    return {};
}

} // namespace sparserl
