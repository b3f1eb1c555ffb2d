// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/plan.h"

#include <functional>

namespace sparserl {

/// Returns the value of a `Name` or `Member` node, or nullopt if it is undefined.
using PlanLookup = std::function<std::optional<std::int64_t>(const PlanExpr& leaf)>;

/// Evaluates an expression in signed 64-bit arithmetic with checks for overflow. The error is a reason
/// without a line. `/` and `%` work as in C++; ceil_div rounds up; pow2_ceil(0) = 1.
tl::expected<std::int64_t, std::string> evaluate(const PlanExpr& expr, const PlanLookup& lookup);

/// The same, but fails if the value is negative. All values in a plan must be >= 0.
tl::expected<std::int64_t, std::string> evaluateNonNegative(const PlanExpr& expr, const PlanLookup& lookup);

/// Whether a requirement is satisfied. Its two sides may be negative.
tl::expected<bool, std::string> holds(const PlanRequirement& requirement, const PlanLookup& lookup);

} // namespace sparserl
