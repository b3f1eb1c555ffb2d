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

} // namespace

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

std::vector<FurtherCalls> specialCalls(const SharedContents& contents, InputMixture mixture,
                                       const CaseCheck& check, IfSpent ifSpent, std::uint64_t seed)
{
    std::vector<std::size_t> order(mixture.x.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    Rng(seed).derive("further kinds").shuffle(order);
    std::vector<FurtherCalls> calls;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i % inputsOfFurther == 0)
            calls.push_back({contents, {}, check, Checks::All, ifSpent});
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
    const auto add = [&](const SharedMatrix& matrix, const Numbers& x, const Reference& expected,
                         CaseValues values) {
        FurtherCalls& one = calls.emplace_back();
        one.contents = matrix;
        one.x = {x};
        one.check.values = values;
        one.check.exact = values == CaseValues::Exact;
        one.check.references.push_back(std::shared_ptr<const Reference>(inputs, &expected));
        one.turn = FurtherCalls::Turn::Values;
    };
    add(context.exact(), inputs->exact, inputs->exactReference, CaseValues::Exact);
    add(wide, inputs->wide, inputs->wideReference, CaseValues::Wide);
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
