// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/input_mixture.h"
#include "evaluation/cases/target_context.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace sparserl {

/// Returns the special inputs of one evaluation.
InputMixture specialMixture(const std::shared_ptr<const EvaluationInputs>& inputs);

/// Calls on one target that depend on the judgement's step budget for further calls
/// (SimulationJob::furtherSteps). When the budget is spent, the remaining ones do not run, or run without
/// checks.
struct FurtherCalls
{
    SharedMatrix matrix;
    std::vector<Numbers> x;
    CaseCheck check;
    Checks checks = Checks::All;
    IfSpent ifSpent = IfSpent::LeftOut;
    /// Calls with an earlier turn run first, so that the budget covers as many kinds as possible.
    enum class Turn
    {
        Values,  ///< One call per kind of values.
        Special, ///< Special inputs, which are several times as many.
        Again    ///< Kinds of values that already occurred, with another input, and composed values.
    };
    Turn turn = Turn::Special;
    bool drawnBlocks = false;
};

/// Adds further calls by turn. Within a turn, the order is random, so that a program cannot know which calls
/// run and which run with checks. Slow programs receive fewer calls. For programs that take factors, half of
/// the calls use alpha and beta other than 1 and 0, except calls that must be exact.
void addFurther(CasePlan& cases, const CaseMaker& maker, std::vector<FurtherCalls> calls,
                const TargetVariant& variant, std::uint64_t seed, FactorUse use);

/// Returns calls with inputs of many kinds and every check, because a program may violate the rules only for
/// certain kinds of x.
std::vector<FurtherCalls> specialCalls(const SharedMatrix& shared, InputMixture mixture,
                                       const CaseCheck& check, IfSpent ifSpent, std::uint64_t seed);

/// Returns calls on the target with exact and with wide values, with every check. The same inputs also run
/// without checks.
Result<std::vector<FurtherCalls>> checkedCalls(TargetContext& context,
                                               const std::shared_ptr<const EvaluationInputs>& inputs);

/// Returns calls with the variants' values, each with vectors that reveal these values, and with every check.
/// Companion vectors run without checks: only their results matter, and checks would exceed the budget.
/// Siblings also run without checks, and even if the budget is spent. The first call of each variant uses one
/// of its vectors at random, so that as many kinds of values as possible run with every check.
std::vector<FurtherCalls> variantCalls(const std::shared_ptr<const TargetContext::VariantCases>& variants,
                                       IfSpent ifSpent, std::uint64_t seed);

} // namespace sparserl
