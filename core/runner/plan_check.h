// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"
#include "ptx/module.h"

#include <optional>

namespace sparserl {

/// Checks for every launch of a plan that the PTX has its kernel and that the kernel takes its arguments.
/// Returns the first failure.
std::optional<BindFailure> checkCalls(const BoundPlan& plan, const ptx::Module& module);

} // namespace sparserl
