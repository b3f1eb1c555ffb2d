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

std::vector<FurtherCalls> variantCalls(const std::shared_ptr<const TargetContext::VariantCases>& variants,
                                       IfSpent ifSpent)
{
    std::vector<FurtherCalls> calls;
    const ValueVariant* last = nullptr;
    bool companions = false;
    for (const VariantCase& one : *variants) {
        // What shows the values runs in any case; the pairs are further calls, of which results count.
        if (one.variant.get() != last || one.companion != companions) {
            CaseCheck check;
            check.exact = one.variant->exact();
            check.values = check.exact ? CaseValues::Exact : CaseValues::Changed;
            calls.push_back({one.variant->matrix, {}, std::move(check), Checks::All, ifSpent});
            if (one.companion) {
                calls.back().checks = Checks::None;
                calls.back().ifSpent = IfSpent::LeftOut;
            }
        }
        last = one.variant.get();
        companions = one.companion;
        calls.back().x.push_back(one.input.x);
        calls.back().check.kinds.push_back(one.input.kind);
        calls.back().check.references.push_back(std::shared_ptr<const Reference>(variants, &one.expected));
    }
    return calls;
}

} // namespace sparserl
