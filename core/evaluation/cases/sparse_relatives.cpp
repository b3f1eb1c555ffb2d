// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/sparse_relatives.h"

#include "evaluation/cases/further_calls.h"
#include "evaluation/cases/input_mixture.h"
#include "evaluation/cases/inputs.h"

namespace sparserl {

namespace {

/// Inputs with which a relative of the target meets the target's values.
constexpr std::size_t kindsOfSmall = 2, kindsOfLarge = 3;
constexpr std::uint64_t schedulesOfSmall = 7; ///< In which a small relative also runs without checks.
constexpr std::size_t furtherKindsOfLarge = 16;

} // namespace

Status addRelatives(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                    const TargetVariant& variant, std::uint64_t seed, bool large, FactorUse use)
{
    const JudgeOptions& options = maker.options();
    const std::int64_t columns = variant.columns;
    const Relative& relative = context.relative();
    const Csr& matrix = *relative.wide.matrix;
    const Workload work = relative.wide.workload(variant);
    Rng rng(seed);
    auto vectors = relative.exactValues.linearVectors(columns, rng);
    CaseCheck exact;
    exact.name = "like-the-target";
    exact.exact = exact.linear = true;
    exact.values = CaseValues::Exact;
    for (const auto& x : vectors)
        exact.references.push_back(
            std::make_shared<Reference>(reference(*relative.exact.matrix, x, columns)));
    cases.add(relative.exact, {std::move(vectors[0]), std::move(vectors[1]), std::move(vectors[2])},
              maker.settings(seed, Checks::All, work), std::move(exact));
    const auto x = wideVector(relative.scaling, columns, rng);
    CaseCheck random;
    random.name = "like-the-target";
    random.values = CaseValues::Wide;
    random.references = {std::make_shared<Reference>(reference(matrix, x, columns))};
    auto once = maker.settings(seed + 1, Checks::All, work);
    once.schedule = Schedule::InOrder;
    cases.add(relative.wide, {x}, once, random);
    random.repeats = 1;
    auto again = maker.settings(seed + 2, Checks::All, work);
    again.schedule = Schedule::Shuffled;
    cases.add(relative.wide, {x}, again, random);
    // What depends on an order of blocks and breaks no rule of the memory model shows in results only: in
    // some schedule of several. They cost little without checks, and a GPU runs the target in its own ones.
    CaseCheck ordered;
    ordered.name = random.name;
    ordered.exact = true;
    ordered.values = CaseValues::Exact;
    for (std::uint64_t i = 0; i < schedulesOfSmall; ++i) {
        auto vector = relative.exactValues.vector(columns, rng);
        ordered.references = {
            std::make_shared<Reference>(reference(*relative.exact.matrix, vector, columns))};
        cases.add(relative.exact, {std::move(vector)}, maker.settings(seed + 8 + i, Checks::None, work),
                  ordered);
    }
    CaseCheck mixed;
    mixed.name = random.name;
    const auto withTheirs = [&](const SharedMatrix& own, std::size_t special, const InputRange& range) {
        return withReferences(*own.matrix, mixtureOf(special, range, columns, rng), columns,
                              options.observer.get());
    };
    addMixture(cases, relative.own, withTheirs(relative.own, kindsOfSmall, relative.range),
               maker.settings(seed + 6, Checks::All, work), mixed);
    // The target meets most kinds without checks, in schedules that those do not have: so do tests.
    addMixture(cases, relative.own, withTheirs(relative.own, kindsOfSmall, relative.range),
               maker.settings(seed + 8 + schedulesOfSmall, Checks::None, work), mixed);
    if (options.everyKind) {
        SPARSERL_TRY(const auto variants, context.smallVariants(columns));
        for (const VariantCase& one : *variants) {
            CaseCheck check;
            check.name = random.name;
            check.kinds = {one.input.kind};
            check.references = {std::shared_ptr<const Reference>(variants, &one.expected)};
            auto once = maker.settings(seed + 6, Checks::None, work);
            once.launches = false;
            cases.add(one.variant->matrix, {one.input.x}, once, std::move(check));
        }
    }
    if (use.any()) {
        Rng factors = Rng(seed).derive("factors");
        CaseCheck scaled;
        scaled.name = random.name;
        const auto add = [&](const SharedMatrix& shared, std::vector<ScaledInput> inputs, bool isExact,
                             Checks checks) {
            scaled.exact = isExact;
            scaled.values = isExact ? CaseValues::Exact : CaseValues::Ordinary;
            maker.addScaled(cases, shared, std::move(inputs), scaled, checks, false, variant, factors.next());
        };
        const Csr& own = *relative.own.matrix;
        // Its values follow from its key: runners know it by that.
        const std::string key = relative.own.key + "/integers";
        Rng values(deriveSeed(maker.secret(), 0, key));
        SPARSERL_TRY(const auto integers,
                     SharedMatrix::make(key, std::make_shared<const Csr>(withSmallIntegers(own, values))));
        std::vector<ScaledInput> whole;
        for (std::size_t i = 0; i < exactScaled; ++i)
            whole.push_back(exactScaledInput(use, *integers.matrix, columns, factors));
        add(integers, std::move(whole), true, Checks::None);
        const auto kinds =
            drawnFactorKinds(use, options.everyKind ? factorKinds(use).size() : factorKindsOfShape, factors);
        add(relative.own, scaledInputs(kinds, use, own, relative.range, columns, factors), false,
            Checks::All);
        if (large) {
            SPARSERL_TRY(const auto kept, context.largeRelative(columns));
            scaled.name = "like-the-target-large";
            add(kept->own,
                scaledInputs(drawnFactorKinds(use, 1, factors), use, *kept->own.matrix, kept->range, columns,
                             factors),
                false, Checks::All);
        }
    }
    if (!large)
        return {};
    SPARSERL_TRY(const auto kept, context.largeRelative(columns));
    const SharedMatrix& shared = kept->exact;
    const auto vector = kept->exactValues.vector(columns, rng);
    CaseCheck check;
    check.name = "like-the-target-large";
    check.exact = true;
    check.values = CaseValues::Exact;
    check.references = {std::make_shared<Reference>(reference(*shared.matrix, vector, columns))};
    maker.addOrders(cases, shared, CallNumbers{vector}, check, variant, seed + 5, options.everyKind);
    mixed.name = "like-the-target-large";
    addMixture(cases, kept->own, withTheirs(kept->own, kindsOfLarge, kept->range),
               maker.settings(seed + 7, Checks::None, shared.workload(variant)), mixed);
    if (!options.everyKind)
        return {};
    auto further = specialCalls(
        kept->own,
        withReferences(*kept->own.matrix, everySpecialInput(kept->range, columns, rng, furtherKindsOfLarge),
                       columns, options.observer.get()),
        mixed, IfSpent::LeftOut, seed + 7);
    SPARSERL_TRY(const auto variants, context.largeVariants(columns));
    for (FurtherCalls& one : variantCalls(variants, IfSpent::LeftOut, seed + 7)) {
        one.check.name = mixed.name;
        further.push_back(std::move(one));
    }
    addFurther(cases, maker, std::move(further), variant, seed + 64, use);
    return {};
}

} // namespace sparserl
