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
    std::string type; ///< PTX type without the dot ("u64", "f32", "b8"); may be empty where it is unknown.
    std::string name; ///< As written in the source, if known: only used in messages.
};

/// Matches the arguments of a call with the parameters of its kernel by position: arrays need 8 bytes,
/// expressions a 4- or 8-byte integer that holds the value, real literals a float, factors a number of their
/// type. A failure is a `plan-error`.
std::optional<BindFailure> checkParameters(const BoundPlan& plan, const BoundCall& call,
                                           std::span<const KernelParameter> parameters);

/// What a device puts into each parameter of a call, `bytes` of each from the PTX: that many bytes of a word,
/// the lower ones. `address(i)` is the device address of buffer i, `factors` are the call's. Refuses what
/// checkParameters does, as far as it shows by sizes.
Result<std::vector<std::uint64_t>> parameterWords(const BoundPlan& plan, const BoundCall& call,
                                                  std::span<const std::int64_t> bytes,
                                                  const std::function<std::uint64_t(int)>& address,
                                                  const CallFactors& factors = {});

} // namespace sparserl
