// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_plan.h"
#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/judged_call.h"
#include "evaluation/cases/oracle.h"

#include <memory>
#include <vector>

namespace sparserl {

/// Of programs that take factors: exact calls of a shape or relative, and kinds beside the first that each
/// meets.
inline constexpr std::size_t exactScaled = 2, factorKindsOfShape = 5;

/// Inputs of several kinds for one matrix, and what they should give.
struct InputMixture
{
    std::vector<Numbers> x;
    std::vector<std::shared_ptr<const Reference>> expected;
    std::vector<InputKind> kinds;
};

/// Of several special kinds, and one as most calls on the target have it.
std::vector<Input> mixtureOf(std::size_t special, const InputRange& range, std::int64_t columns, Rng& rng);

/// What these inputs should give. `observer` (may be nullptr) may want other signs.
InputMixture withReferences(const Csr& matrix, std::vector<Input> inputs, std::int64_t columns,
                            const JudgeObserver* observer);

/// The same contents and several inputs of different kinds, in one case.
void addMixture(CasePlan& cases, const SharedContents& contents, InputMixture mixture,
                const SimulationCase& settings, CaseCheck check);

} // namespace sparserl
