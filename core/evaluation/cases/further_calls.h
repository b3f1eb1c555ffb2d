// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/input_mixture.h"
#include "evaluation/cases/target_context.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace sparserl {

/// The special inputs of one evaluation.
InputMixture specialMixture(const std::shared_ptr<const EvaluationInputs>& inputs);

/// Calls on one target that run, or run with checks, while the judgement's step budget for such calls lasts
/// (SimulationJob::furtherSteps).
struct FurtherCalls
{
    SharedMatrix matrix;
    std::vector<Numbers> x;
    CaseCheck check;
    Checks checks = Checks::All;
    IfSpent ifSpent = IfSpent::LeftOut;
    /// Calls of an earlier turn come first, so the budget covers as many kinds as possible.
    enum class Turn
    {
        Values,  ///< One call per kind of values.
        Special, ///< Special inputs: several times as many.
        Again    ///< Kinds of values already used, with another input, and composed values.
    };
    Turn turn = Turn::Special;
    bool drawnBlocks = false;
};

/// Adds further calls by turn, in random order within each turn: a program cannot know which of them run, or
/// run with checks. Slow programs receive fewer calls. For programs that take factors, half of the calls use
/// other alpha and beta, except those that must be exact.
void addFurther(CasePlan& cases, const CaseMaker& maker, std::vector<FurtherCalls> calls,
                const TargetVariant& variant, std::uint64_t seed, FactorUse use);

/// Inputs of many kinds with every check: a program may violate the rules only for certain kinds of x.
std::vector<FurtherCalls> specialCalls(const SharedMatrix& shared, InputMixture mixture,
                                       const CaseCheck& check, IfSpent ifSpent, std::uint64_t seed);

/// The target with exact and with wide values, with every check; the same inputs also run without checks.
Result<std::vector<FurtherCalls>> checkedCalls(TargetContext& context,
                                               const std::shared_ptr<const EvaluationInputs>& inputs);

/// Other values with every check, each with vectors that reveal them. Companion vectors run without checks:
/// only their results count, and checks would exceed the budget. Siblings also run without checks, even if
/// the budget is spent. The first call of each variant uses one of its vectors at random, so as many kinds of
/// values as possible run with every check.
std::vector<FurtherCalls> variantCalls(const std::shared_ptr<const TargetContext::VariantCases>& variants,
                                       IfSpent ifSpent, std::uint64_t seed);

} // namespace sparserl
