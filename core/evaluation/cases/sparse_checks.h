// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/target_cases.h"
#include "evaluation/cases/target_context.h"

namespace sparserl {

/// Non-zeros times columns (in fours) of a matrix: what simulating a program on it takes.
std::int64_t simulationWork(const Csr& matrix, std::int64_t columns);

/// Adds calls with other alpha and beta on the target, where the program takes them: one or, with
/// `everyKind`, all kinds beside the first.
void addScaledTarget(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                     const CaseRequest& request, std::uint64_t seed, Checks checks, bool drawnBlocks,
                     bool everyKind);

/// Adds the target with every check of the simulator and random values; with `everyOrder` in every order of
/// CaseMaker::addOrders.
Status addTarget(CasePlan& cases, const CaseMaker& maker, TargetContext& context, const CaseRequest& request,
                 std::uint64_t inputsSeed, std::uint64_t scheduleSeed, bool everyOrder);

/// The same in every order, and exact values in one, depending on `seed`; a large relative (relatives.h)
/// where that takes more than `mostWork`.
Status addFullCheck(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                    const CaseRequest& request, std::uint64_t seed, std::int64_t mostWork);

} // namespace sparserl
