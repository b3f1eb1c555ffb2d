// SPDX-License-Identifier: Apache-2.0
#include "evaluation/stages/further_calls.h"

#include <numeric>

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
    const auto add = [&](const SharedMatrix& matrix, const Numbers& x, const Reference& expected,
                         CaseValues values) {
        FurtherCalls& one = calls.emplace_back();
        one.matrix = matrix;
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
    const auto begin = [&](const VariantCase& one, FurtherCalls::Turn turn) {
        CaseCheck check;
        check.exact = one.variant->exact();
        check.values = check.exact ? CaseValues::Exact : CaseValues::Changed;
        calls.push_back({one.variant->matrix, {}, std::move(check), Checks::All, ifSpent, turn});
        if (one.companion) {
            calls.back().checks = Checks::None;
            calls.back().ifSpent = IfSpent::LeftOut;
        }
    };
    const auto append = [&](const VariantCase& one) {
        calls.back().x.push_back(one.input.x);
        calls.back().check.kinds.push_back(one.input.kind);
        calls.back().check.references.push_back(std::shared_ptr<const Reference>(variants, &one.expected));
    };
    const auto sameCase = [](const VariantCase& a, const VariantCase& b) {
        return a.variant == b.variant && a.companion == b.companion;
    };
    for (std::size_t from = 0, to = 0; from < variants->size(); from = to) {
        while (to < variants->size() && sameCase((*variants)[from], (*variants)[to]))
            ++to;
        const bool companions = (*variants)[from].companion;
        const std::size_t first = companions ? to : from + rng.below(to - from);
        if (first < to) {
            begin((*variants)[first], FurtherCalls::Turn::Values);
            append((*variants)[first]);
        }
        bool begun = false;
        for (std::size_t i = from; i < to; ++i) {
            if (i == first)
                continue;
            if (!begun)
                begin((*variants)[i], FurtherCalls::Turn::Again);
            begun = true;
            append((*variants)[i]);
        }
    }
    return calls;
}

} // namespace sparserl
