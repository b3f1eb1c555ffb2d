// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/target_context.h"

namespace sparserl {

/// Adds the target's small relative, with every check: exact and linear, then in two schedules, and with
/// the target's values and inputs of all kinds; with `large` the other one as well, exact with every
/// check (in verdicts that count in every order) and with the target's values without; in verdicts that
/// count also with special inputs and with values of each kind, as further calls.
/// Programs that take factors meet both with other alpha and beta.
Status addRelatives(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                    const TargetVariant& variant, std::uint64_t seed, bool large, FactorUse use);

} // namespace sparserl
