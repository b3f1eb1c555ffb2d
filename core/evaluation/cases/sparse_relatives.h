// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/target_context.h"

namespace sparserl {

/// Adds the target's small relative with every check: exact and linear values, two schedules, and the
/// target's values with inputs of all kinds. With `large`, also adds the large relative: exact values with
/// every check (in every order if JudgeOptions::everyKind), and the target's values without checks. If
/// JudgeOptions::everyKind, also adds further calls with special inputs and with values of each kind.
/// Programs that take factors also get both relatives with alpha and beta other than 1 and 0.
Status addRelatives(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                    const TargetVariant& variant, std::uint64_t seed, bool large, FactorUse use);

} // namespace sparserl
