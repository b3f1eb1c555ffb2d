// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/further_calls.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace sparserl {

namespace {

/// Inputs of one further case: what is spent is looked at between cases only, and prepare kernels run for
/// each.
constexpr std::size_t inputsOfFurther = 4;

/// The calls of one for a program that takes factors (perhapsScaled). Its check keeps what is not of single
/// inputs.
std::vector<ScaledInput> withFactors(FurtherCalls& calls, FactorUse use, std::int64_t columns, Rng& rng)
{
    std::vector<ScaledInput> inputs;
    for (std::size_t i = 0; i < calls.x.size(); ++i) {
        const InputKind kind = i < calls.check.kinds.size() ? calls.check.kinds[i] : InputKind::Random;
        // Whether signs are random is not known here: the bound that holds for all.
        Input input{kind, std::move(calls.x[i]), Signs::Any};
        auto plain = std::static_pointer_cast<const Reference>(std::move(calls.check.references[i]));
        inputs.push_back(
            perhapsScaled(use, *calls.matrix.matrix, std::move(input), std::move(plain), columns, rng));
    }
    calls.x.clear();
    calls.check.kinds.clear();
    calls.check.references.clear();
    return inputs;
}

} // namespace

void addFurther(CasePlan& cases, const CaseMaker& maker, std::vector<FurtherCalls> calls,
                const TargetVariant& variant, std::uint64_t seed, FactorUse use)
{
    const auto& observer = maker.options().observer;
    Rng(seed).derive("further").shuffle(calls);
    std::ranges::stable_sort(calls, {}, &FurtherCalls::turn);
    Rng factors = Rng(seed).derive("factors");
    for (FurtherCalls& one : calls) {
        auto drawn = maker.settings(seed++, one.checks, one.matrix.workload(variant));
        drawn.ifSpent = one.ifSpent;
        drawn.drawnBlocks = one.drawnBlocks;
        drawn.mark = one.check.name.empty() && observer && observer->control == JudgeObserver::Control::Mark;
        if (use.any() && !one.check.exact) {
            std::vector<ScaledInput> inputs = withFactors(one, use, variant.columns, factors);
            cases.add(one.matrix, std::move(inputs), drawn, std::move(one.check));
        } else {
            cases.add(one.matrix, std::move(one.x), drawn, std::move(one.check));
        }
    }
}

InputMixture specialMixture(const std::shared_ptr<const EvaluationInputs>& inputs)
{
    InputMixture mixture;
    for (std::size_t i = 0; i < inputs->special.size(); ++i) {
        mixture.x.push_back(inputs->special[i].x);
        mixture.kinds.push_back(inputs->special[i].kind);
        mixture.expected.emplace_back(inputs, &inputs->specialReferences[i]);
    }
    return mixture;
}

std::vector<FurtherCalls> specialCalls(const SharedMatrix& shared, InputMixture mixture,
                                       const CaseCheck& check, IfSpent ifSpent, std::uint64_t seed)
{
    std::vector<std::size_t> order(mixture.x.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    Rng(seed).derive("further kinds").shuffle(order);
    std::vector<FurtherCalls> calls;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % inputsOfFurther == 0)
            calls.push_back({shared, {}, check, Checks::All, ifSpent});
        calls.back().x.push_back(std::move(mixture.x[order[i]]));
        calls.back().check.kinds.push_back(mixture.kinds[order[i]]);
        calls.back().check.references.push_back(std::move(mixture.expected[order[i]]));
    }
    return calls;
}

Result<std::vector<FurtherCalls>> checkedCalls(TargetContext& context,
                                               const std::shared_ptr<const EvaluationInputs>& inputs)
{
    SPARSERL_TRY(auto wide, context.wide());
    std::vector<FurtherCalls> calls;
    const auto add = [&](const SharedMatrix& matrix, const Numbers& x,
                         std::shared_ptr<const Reference> expected, CaseValues values) {
        FurtherCalls& one = calls.emplace_back();
        one.matrix = matrix;
        one.x = {x};
        one.check.values = values;
        one.check.exact = values == CaseValues::Exact;
        one.check.references.push_back(std::move(expected));
        one.turn = FurtherCalls::Turn::Values;
    };
    const Reference& exact = inputs->exactReference;
    add(context.exact(), inputs->exact, std::shared_ptr<const Reference>(inputs, &exact), CaseValues::Exact);
    // It is there where every kind is met; else few judgements come here.
    auto expected = std::shared_ptr<const Reference>(inputs, &inputs->wideReference);
    if (expected->values.size() != exact.values.size())
        expected = std::make_shared<const Reference>(reference(*wide.matrix, inputs->wide, exact.columns));
    add(wide, inputs->wide, std::move(expected), CaseValues::Wide);
    return calls;
}

std::vector<FurtherCalls> variantCalls(const std::shared_ptr<const TargetContext::VariantCases>& variants,
                                       IfSpent ifSpent, std::uint64_t seed)
{
    Rng rng = Rng(seed).derive("first of a variant");
    std::vector<FurtherCalls> calls;
    using Group = std::span<const VariantCase>;
    /// One call with the vectors of a group but `skipped`.
    const auto add = [&](Group group, std::size_t skipped, FurtherCalls::Turn turn) {
        const VariantCase& any = group.front();
        CaseCheck check;
        check.exact = any.variant->exact();
        check.values = check.exact ? CaseValues::Exact : CaseValues::Changed;
        FurtherCalls call{any.variant->matrix, {}, std::move(check), Checks::All, ifSpent, turn};
        if (any.variant->otherPattern()) { // Few, and each may be the only one that shows a cheat.
            call.check.name = siblingCase;
            call.check.sibling = true;
            call.checks = Checks::None;
            call.ifSpent = IfSpent::Runs;
        } else if (any.companion) {
            call.checks = Checks::None;
            call.ifSpent = IfSpent::LeftOut;
        }
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (i == skipped)
                continue;
            call.x.push_back(group[i].input.x);
            call.check.kinds.push_back(group[i].input.kind);
            call.check.references.push_back(std::shared_ptr<const Reference>(variants, &group[i].expected));
        }
        if (!call.x.empty())
            calls.push_back(std::move(call));
    };
    const auto sameCase = [](const VariantCase& a, const VariantCase& b) {
        return a.variant == b.variant && a.companion == b.companion;
    };
    for (Group rest(*variants); !rest.empty();) {
        const auto end = std::find_if_not(
            rest.begin(), rest.end(), [&](const VariantCase& one) { return sameCase(one, rest.front()); });
        const Group group = rest.first(static_cast<std::size_t>(end - rest.begin()));
        rest = rest.subspan(group.size());
        std::size_t first = group.size(); // None: what goes with values comes after them.
        if (!group.front().companion) {
            first = rng.below(group.size());
            add(group.subspan(first, 1), 1,
                group.front().variant->composed() ? FurtherCalls::Turn::Again : FurtherCalls::Turn::Values);
        }
        add(group, first, FurtherCalls::Turn::Again);
    }
    return calls;
}

} // namespace sparserl
