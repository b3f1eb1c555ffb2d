// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_maker.h"
#include "evaluation/cases/target_cases.h"
#include "evaluation/cases/target_context.h"

namespace sparserl {

/// Non-zeros times columns (rounded up to fours) of a matrix: the cost of simulating a program on it.
std::int64_t simulationWork(const Csr& matrix, std::int64_t columns);

/// If the program takes factors, adds calls on the target with other alpha and beta: one, or with `everyKind`
/// all kinds except the first.
void addScaledTarget(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                     const CaseRequest& request, std::uint64_t seed, Checks checks, bool drawnBlocks,
                     bool everyKind);

/// Adds the target with random values and every check of the simulator; with `everyOrder`, in every order of
/// CaseMaker::addOrders.
Status addTarget(CasePlan& cases, const CaseMaker& maker, TargetContext& context, const CaseRequest& request,
                 std::uint64_t inputsSeed, std::uint64_t scheduleSeed, bool everyOrder);

/// The same in every order, and exact values in one order that depends on `seed`. If this exceeds `mostWork`,
/// uses a large relative (relatives.h).
Status addFullCheck(CasePlan& cases, const CaseMaker& maker, TargetContext& context,
                    const CaseRequest& request, std::uint64_t seed, std::int64_t mostWork);

} // namespace sparserl
