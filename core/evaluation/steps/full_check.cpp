// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/full_check.h"

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

void addCase(CasePlan& cases, const Simulation& simulation, const SharedMatrix& shared, const Numbers& x,
             std::shared_ptr<const Reference> expected, bool exact, std::int64_t columns, std::uint64_t seed,
             bool everyOrder)
{
    CaseCheck check;
    check.exact = exact;
    check.references = {std::move(expected)};
    simulation.addOrders(cases, shared, x, check, columns, seed, everyOrder);
}

/// The call that is timed, and the same with the target's own values: in order, and counted.
void addSameWork(CasePlan& cases, const Simulation& simulation, const TargetContext& context,
                 const std::shared_ptr<const EvaluationInputs>& inputs, std::int64_t columns,
                 std::uint64_t seed)
{
    const auto add = [&](const SharedMatrix& shared, const Numbers& x, const Reference& expected,
                         int sameWorkAs) {
        auto one = simulation.settings(seed, Checks::Counters, *shared.matrix, columns);
        one.schedule = Schedule::InOrder;
        one.layout = AddressLayout::Apart;
        CaseCheck check;
        check.references = {std::shared_ptr<const Reference>(inputs, &expected)};
        check.sameWorkAs = sameWorkAs;
        cases.add(shared, {x}, one, std::move(check));
    };
    add(context.timed(), inputs->timed.x, inputs->timedReference, -1);
    add(context.own(), inputs->first, inputs->firstReference, static_cast<int>(cases.size()) - 1);
}

} // namespace

std::int64_t simulationWork(const Csr& matrix, std::int64_t columns)
{
    return matrix.nnz() * entryWork(columns);
}

void addScaledTarget(CasePlan& cases, const Simulation& simulation, const TargetTask& task,
                     std::uint64_t seed, Checks checks, bool drawnBlocks, bool everyKind)
{
    const FactorUse use = task.factors();
    if (!use.any())
        return;
    Rng rng(seed);
    const auto kinds = drawnFactorKinds(use, everyKind ? factorKinds(use).size() : 1, rng);
    const SharedMatrix& own = task.context->own();
    const InputRange& range = task.context->range();
    simulation.addScaled(cases, own, scaledInputs(kinds, use, *own.matrix, range, task.columns(), rng), {},
                         checks, drawnBlocks, task.columns(), rng.next());
    if (!everyKind || drawnBlocks) // An order of some blocks alone is none.
        return;
    const auto ordered = scaledInputs({kinds.front()}, use, *own.matrix, range, task.columns(), rng);
    simulation.addOrders(cases, own, ordered.front(), {}, task.columns(), rng.next(), true);
}

Status addTarget(CasePlan& cases, const Simulation& simulation, const TargetTask& task,
                 std::uint64_t inputsSeed, std::uint64_t scheduleSeed, bool everyOrder)
{
    const auto columns = task.columns();
    const auto inputs = task.context->inputs(inputsSeed, columns);
    addCase(cases, simulation, task.context->own(), inputs->first,
            {std::shared_ptr<const Reference>(inputs, &inputs->firstReference)}, false, columns, scheduleSeed,
            everyOrder);
    addScaledTarget(cases, simulation, task, scheduleSeed + 48, everyOrder ? Checks::All : Checks::None,
                    false, everyOrder);
    if (!everyOrder)
        return {};
    addSameWork(cases, simulation, *task.context, inputs, columns, scheduleSeed + 32);
    std::vector<FurtherCalls> further =
        specialCalls(task.context->own(), specialMixture(inputs), {}, IfSpent::LeftOut, scheduleSeed);
    SPARSERL_TRY(const auto variants, task.context->variants(inputsSeed, columns, true));
    std::ranges::move(variantCalls(variants, IfSpent::LeftOut, scheduleSeed), std::back_inserter(further));
    SPARSERL_TRY(auto checked, checkedCalls(*task.context, inputs));
    std::ranges::move(checked, std::back_inserter(further));
    simulation.addFurther(cases, std::move(further), columns, scheduleSeed + 64, task.factors());
    return {};
}

Status addFullCheck(CasePlan& cases, const Simulation& simulation, const TargetTask& task, std::uint64_t seed,
                    std::int64_t mostWork)
{
    const auto columns = task.columns();
    const Csr& matrix = *task.context->own().matrix;
    if (simulationWork(matrix, columns) <= mostWork) {
        const auto inputs = task.context->inputs(seed, columns);
        addCase(cases, simulation, task.context->exact(), inputs->exact,
                {std::shared_ptr<const Reference>(inputs, &inputs->exactReference)}, true, columns, seed,
                false);
        return addTarget(cases, simulation, task, seed, seed + 1, true);
    }
    Rng rng(seed);
    const std::int64_t entries = mostWork / rowsShare / entryWork(columns);
    SPARSERL_TRY(const auto relative, Relative::make(task.context->digest() + "/rows " + std::to_string(seed),
                                                     largeRelative(matrix, seed, entries), rng));
    const auto add = [&](const SharedMatrix& shared, const Numbers& x, bool exact, bool everyOrder) {
        addCase(cases, simulation, shared, x,
                std::make_shared<const Reference>(reference(*shared.matrix, x, columns)), exact, columns,
                seed, everyOrder);
    };
    add(relative.exact, relative.exactValues.vector(columns, rng), true, true);
    add(relative.wide, wideVector(relative.scaling, columns, rng), false, false);
    add(relative.own, timedInput(relative.range, columns, rng).x, false, false);
    if (const FactorUse use = task.factors(); use.any()) {
        const auto scaled = [&](const std::vector<FactorKind>& kinds) {
            return scaledInputs(kinds, use, *relative.own.matrix, relative.range, columns, rng);
        };
        simulation.addScaled(cases, relative.own, scaled(factorKinds(use)), {}, Checks::All, false, columns,
                             seed);
        simulation.addOrders(cases, relative.own, scaled({factorKinds(use).front()}).front(), {}, columns,
                             seed + 32, true);
    }
    return {};
}

} // namespace sparserl
