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

/// One `.param` of a compiled kernel, in order.
struct KernelParameter
{
    std::int64_t bytes = 0;
    std::string type; ///< PTX type without the dot ("u64", "f32", "b8"); empty if unknown.
    std::string name; ///< Name in the source, if known. Used only in messages.
};

/// Matches the arguments of a call with its kernel's parameters by position. Arrays need 8 bytes, expressions
/// a 4- or 8-byte integer that can hold the value, real literals a float, factors a number of their type. A
/// failure is a `plan-error`.
std::optional<BindFailure> checkParameters(const BoundPlan& plan, const BoundCall& call,
                                           std::span<const KernelParameter> parameters);

/// The parameter values of a call. The PTX gives the size of each in `bytes`; a parameter consists of that
/// many low bytes of its word. `address(i)` is the device address of buffer i, and `factors` are those of the
/// call. Performs the checks of checkParameters that need only sizes.
Result<std::vector<std::uint64_t>> parameterWords(const BoundPlan& plan, const BoundCall& call,
                                                  std::span<const std::int64_t> bytes,
                                                  const std::function<std::uint64_t(int)>& address,
                                                  const CallFactors& factors = {});

} // namespace sparserl
