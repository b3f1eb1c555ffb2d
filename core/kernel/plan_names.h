// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"
#include "target/workload.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace sparserl {

// Predefined names in plans (docs/formats.md 1): the tensors of the target's workload (target/workload.h),
// and numbers of the target and the device.

/// Bundles refer to these names by their positions (code::Scalar in kernel/export/src/plan_code.h). Append
/// new names at the end.
inline constexpr std::array<std::string_view, 7> planNumbers{
    "rows", "cols", "nnz", "max_length", "mean_length", "sm_count", "dense_cols"};

constexpr bool isPlanNumber(std::string_view name)
{
    return std::find(planNumbers.begin(), planNumbers.end(), name) != planNumbers.end();
}
static_assert(std::all_of(numberRules.begin(), numberRules.end(),
                          [](const NumberRule& rule) { return isPlanNumber(rule.name); }));

/// Returns the value of a number in `planNumbers`. Numbers that the target does not define come from the
/// device.
inline std::int64_t planNumber(std::string_view name, const Workload& work, const DeviceLimits& limits)
{
    const NumberRule* rule = ruleOf(numberRules, name);
    return rule ? work.number(*rule) : limits.smCount;
}

constexpr BufferRole bufferRoleOf(TensorRole role)
{
    return role == TensorRole::Input ? BufferRole::Input : BufferRole::Output;
}

inline bool isFunction(std::string_view name)
{
    return name == "min" || name == "max" || name == "ceil_div" || name == "pow2_ceil";
}

} // namespace sparserl
