// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_plan.h"
#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/judged_call.h"
#include "evaluation/cases/oracle.h"

#include <memory>
#include <vector>

namespace sparserl {

/// For programs that take factors: the number of exact calls per shape or relative, and the number of other
/// kinds of factors.
inline constexpr std::size_t exactScaled = 2, factorKindsOfShape = 5;

/// Inputs of several kinds for one matrix, with their references.
struct InputMixture
{
    std::vector<Numbers> x;
    std::vector<std::shared_ptr<const Reference>> expected;
    std::vector<InputKind> kinds;
};

/// Creates `special` special inputs and one of a kind that is usual in calls on the target.
std::vector<Input> mixtureOf(std::size_t special, const InputRange& range, std::int64_t columns, Rng& rng);

/// Computes the references of the inputs. An `observer` (may be nullptr) can change the signs of the inputs.
InputMixture withReferences(const Csr& matrix, std::vector<Input> inputs, std::int64_t columns,
                            const JudgeObserver* observer);

/// Adds one case whose calls have the same contents and inputs of several kinds.
void addMixture(CasePlan& cases, const SharedContents& contents, InputMixture mixture,
                const SimulationCase& settings, CaseCheck check);

} // namespace sparserl
