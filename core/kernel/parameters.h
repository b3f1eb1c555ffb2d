// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kernel/bind.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// A `.param` of a compiled kernel. Lists of parameters are in the kernel's order.
struct KernelParameter
{
    std::int64_t bytes = 0;
    std::string type; ///< PTX type without the dot ("u64", "f32", "b8"); empty if unknown.
    std::string name; ///< The name in the source, if known. Only messages use it.
};

/// Checks that the arguments of a call match its kernel's parameters by position. An array needs a parameter
/// of 8 bytes, an expression an integer of 4 or 8 bytes that can hold the value, a real literal a float, and
/// a factor a number of its type. A failure is a `plan-error`.
std::optional<BindFailure> checkParameters(const BoundPlan& plan, const BoundCall& call,
                                           std::span<const KernelParameter> parameters);

/// Returns the parameter values of a call as words. `bytes` are the sizes of the parameters in the PTX; a
/// parameter consists of this number of low bytes of its word. `address(i)` is the device address of buffer
/// i, and `factors` are the factors of the call. Performs those checks of checkParameters() that need only
/// sizes.
Result<std::vector<std::uint64_t>> parameterWords(const BoundPlan& plan, const BoundCall& call,
                                                  std::span<const std::int64_t> bytes,
                                                  const std::function<std::uint64_t(int)>& address,
                                                  const CallFactors& factors = {});

} // namespace sparserl
