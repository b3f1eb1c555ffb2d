// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/target_cases.h"
#include "evaluation/cases/target_context.h"

namespace sparserl {

/// Returns the cost of simulating a program on a matrix: non-zeros times columns, rounded up to a multiple of
/// four.
std::int64_t simulationWork(const Csr& matrix, std::int64_t columns);

/// If the program takes factors, adds calls on the target with alpha and beta other than 1 and 0: one call
/// or, with `everyKind`, one for each kind except the first.
void addScaledTarget(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                     const CaseRequest& request, std::uint64_t seed, Checks checks, bool drawnBlocks,
                     bool everyKind);

/// Adds calls on the target with random values and every check of the simulator. With `everyOrder`, uses
/// every order of CaseMaker::addOrders().
Status addTarget(CasePlan& cases, const CaseMaker& maker, TargetContext& context, const CaseRequest& request,
                 std::uint64_t inputsSeed, std::uint64_t scheduleSeed, bool everyOrder);

/// The same in every order, and with exact values in one order that depends on `seed`. If this exceeds
/// `mostWork`, uses a large relative (relatives.h) instead of the target.
Status addFullCheck(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                    const CaseRequest& request, std::uint64_t seed, std::int64_t mostWork);

} // namespace sparserl
