// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/input_mixture.h"
#include "evaluation/cases/target_context.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace sparserl {

/// Special inputs of one evaluation.
InputMixture specialMixture(const std::shared_ptr<const EvaluationInputs>& inputs);

/// Calls on one target that run, or run with checks, as long as the steps of a judgement for such calls allow
/// (SimulationJob::furtherSteps).
struct FurtherCalls
{
    SharedMatrix matrix;
    std::vector<Numbers> x;
    CaseCheck check;
    Checks checks = Checks::All;
    IfSpent ifSpent = IfSpent::LeftOut;
    /// Calls of an earlier turn come first, so that the steps reach as many kinds as possible.
    enum class Turn
    {
        Values,  ///< One call for each kind of values.
        Special, ///< Special inputs: several times as many.
        Again    ///< Values of a kind that were met, with another input, and composed values.
    };
    Turn turn = Turn::Special;
    bool drawnBlocks = false;
};

/// Adds further calls by their turns, in each in an order by lot: no program can tell which of them run with
/// checks or at all. A program that takes long is met by fewer of them. Programs that take factors meet half
/// of them with other alpha and beta, but for those that have to be exact.
void addFurther(CasePlan& cases, const CaseMaker& maker, std::vector<FurtherCalls> calls,
                const TargetVariant& variant, std::uint64_t seed, FactorUse use);

/// Inputs of many kinds with every check: a program may break the rules only where x is of some kind.
std::vector<FurtherCalls> specialCalls(const SharedMatrix& shared, InputMixture mixture,
                                       const CaseCheck& check, IfSpent ifSpent, std::uint64_t seed);

/// The target with exact and with wide values, as it is also run without checks, with every check.
Result<std::vector<FurtherCalls>> checkedCalls(TargetContext& context,
                                               const std::shared_ptr<const EvaluationInputs>& inputs);

/// Other values, with every check, each with vectors that show them, and with those that go with them: for
/// these results count, and checks would not fit. The first call of each variant has one of its vectors, by
/// lot, so that as many kinds of values as possible are met with every check.
std::vector<FurtherCalls> variantCalls(const std::shared_ptr<const TargetContext::VariantCases>& variants,
                                       IfSpent ifSpent, std::uint64_t seed);

} // namespace sparserl
