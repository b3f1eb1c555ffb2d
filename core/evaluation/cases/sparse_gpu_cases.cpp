// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/sparse_gpu_cases.h"

#include "evaluation/cases/scaled_calls.h"

#include <utility>

namespace sparserl {

namespace {

constexpr std::size_t repeats = 5; ///< Compared bit by bit.

/// Adds calls of y = alpha A x + beta y, and turns siblings, which are the last calls so far, into such calls
/// by lot.
void addScaled(std::vector<GpuCalls>& after, const TargetContext& context,
               const std::shared_ptr<const GpuInputs>& inputs, const CaseRequest& request, bool everyKind,
               std::uint64_t seed)
{
    const FactorUse use = request.factors;
    const std::int64_t columns = request.variant.columns;
    Rng rng = Rng(seed).derive("factors");
    const auto add = [](GpuCalls& to, ScaledInput one) {
        to.expected.push_back(std::move(one.expected));
        to.factors.push_back(one.by);
        to.before.push_back(std::move(one.before));
    };
    // What the program meets on siblings of the target, half of the time.
    for (std::size_t i = 0; i < inputs->variants->size(); ++i) {
        const VariantCase& one = (*inputs->variants)[i];
        if (!one.variant->otherPattern() || one.variant->exact())
            continue;
        GpuCalls& calls = after[after.size() - inputs->variants->size() + i];
        calls.expected.clear();
        add(calls, perhapsScaled(use, *one.variant->matrix.matrix, one.input,
                                 std::shared_ptr<const Reference>(inputs, &one.expected), columns, rng));
    }
    GpuCalls scaled;
    scaled.contents = context.own().contentsAlone();
    scaled.seed = rng.next();
    for (const FactorKind kind : drawnFactorKinds(use, everyKind ? factorKinds(use).size() : 1, rng)) {
        const bool asTimed = inputs->special.empty() || rng.chance(0.5);
        const NumberRange range =
            asTimed ? inputs->first : inputs->special[rng.below(inputs->special.size())];
        const NumberView x = std::as_const(*inputs->buffer).numbers(range.type, range.at, range.count);
        Input input{InputKind::Random, Numbers(range.type, x.size()), asTimed ? Signs::Random : Signs::Any};
        for (std::size_t i = 0; i < x.size(); ++i)
            input.x.set(i, x[i]);
        scaled.inputs.push_back({range});
        add(scaled, scaledInput(kind, use, *context.own().matrix, std::move(input), columns, rng));
    }
    after.push_back(std::move(scaled));
}

} // namespace

Result<GpuCases> gpuCases(TargetContext& context, const std::shared_ptr<const GpuInputs>& inputs,
                          const CaseRequest& request, bool everyKind, std::uint64_t seed)
{
    GpuCases cases;
    cases.inputsKey = inputs->key;
    cases.inputs = inputs->buffer;
    const auto expected = [&](const Reference& reference) {
        return std::shared_ptr<const Expectation>(inputs, &reference);
    };
    cases.exact = {
        context.exact().contentsAlone(), {{inputs->exact}}, {expected(inputs->exactReference)}, seed, true};
    cases.repeated.contents = context.own().contentsAlone();
    cases.repeated.inputs.assign(repeats, {inputs->first});
    cases.repeated.expected.assign(repeats, expected(inputs->firstReference));
    cases.repeated.seed = seed + 1;
    cases.timed = context.timed().contentsAlone(); // Nothing is gained by what the target's values are.
    cases.ring = inputs->ring;
    cases.timingSeed = seed + 2;
    SPARSERL_TRY(const auto wide, context.wide());
    cases.after.push_back(
        {wide.contentsAlone(), {{inputs->wide}}, {expected(inputs->wideReference)}, seed + 3});
    GpuCalls& special = cases.after.emplace_back();
    special.contents = context.own().contentsAlone();
    special.seed = seed + 4;
    for (std::size_t i = 0; i < inputs->special.size(); ++i) {
        special.inputs.push_back({inputs->special[i]});
        special.expected.push_back(expected(inputs->specialReferences[i]));
    }
    for (std::size_t i = 0; i < inputs->variants->size(); ++i) {
        const VariantCase& one = (*inputs->variants)[i];
        cases.after.push_back({one.variant->matrix.contentsAlone(),
                               {{inputs->variantInputs[i]}},
                               {expected(one.expected)},
                               seed + 5 + i,
                               one.variant->exact(),
                               one.variant->otherPattern()});
    }
    if (request.factors.any())
        addScaled(cases.after, context, inputs, request, everyKind, seed);
    return cases;
}

} // namespace sparserl
