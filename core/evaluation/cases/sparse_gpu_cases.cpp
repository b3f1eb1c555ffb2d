// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/sparse_gpu_cases.h"

#include "evaluation/cases/scaled_calls.h"

#include <utility>

namespace sparserl {

namespace {

constexpr std::size_t repeats = 5; ///< Compared bit by bit.

/// Calls of y = alpha A x + beta y.
GpuCalls scaledCalls(const TargetContext& context, const GpuInputs& inputs, const CaseRequest& request,
                     bool everyKind, std::uint64_t seed)
{
    const FactorUse use = request.factors;
    Rng rng = Rng(seed).derive("factors");
    GpuCalls scaled;
    scaled.contents = context.own();
    scaled.seed = rng.next();
    // The same x in all of them: what differs is alpha, beta and y.
    const NumberView first =
        std::as_const(*inputs.buffer).numbers(context.type(), inputs.first.at, inputs.first.count);
    Numbers x(context.type(), first.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        x.set(i, first[i]);
    for (const FactorKind kind : drawnFactorKinds(use, everyKind ? factorKinds(use).size() : 1, rng)) {
        ScaledInput one = scaledInput(kind, use, *context.own().matrix, {InputKind::Random, x, Signs::Random},
                                      request.variant.columns, rng);
        scaled.inputs.push_back({inputs.first});
        scaled.expected.push_back(std::move(one.expected));
        scaled.factors.push_back(one.by);
        scaled.before.push_back(std::move(one.before));
    }
    return scaled;
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
    cases.exact = {context.exact(), {{inputs->exact}}, {expected(inputs->exactReference)}, seed, true};
    cases.repeated.contents = context.own();
    cases.repeated.inputs.assign(repeats, {inputs->first});
    cases.repeated.expected.assign(repeats, expected(inputs->firstReference));
    cases.repeated.seed = seed + 1;
    cases.timed = context.timed(); // Nothing is gained by what the target's values are.
    cases.ring = inputs->ring;
    cases.timingSeed = seed + 2;
    SPARSERL_TRY(const auto wide, context.wide());
    cases.after.push_back({wide, {{inputs->wide}}, {expected(inputs->wideReference)}, seed + 3});
    GpuCalls& special = cases.after.emplace_back();
    special.contents = context.own();
    special.seed = seed + 4;
    for (std::size_t i = 0; i < inputs->special.size(); ++i) {
        special.inputs.push_back({inputs->special[i]});
        special.expected.push_back(expected(inputs->specialReferences[i]));
    }
    for (std::size_t i = 0; i < inputs->variants->size(); ++i) {
        const VariantCase& one = (*inputs->variants)[i];
        cases.after.push_back({one.variant->matrix,
                               {{inputs->variantInputs[i]}},
                               {expected(one.expected)},
                               seed + 5 + i,
                               one.variant->exact(),
                               one.variant->otherPattern()});
    }
    if (request.factors.any())
        cases.after.push_back(scaledCalls(context, *inputs, request, everyKind, seed));
    return cases;
}

} // namespace sparserl
