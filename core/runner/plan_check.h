// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"
#include "ptx/module.h"

#include <optional>

namespace sparserl {

/// Checks every launch of a plan against the kernels of its PTX: the kernels exist and take the arguments.
std::optional<BindFailure> checkCalls(const BoundPlan& plan, const ptx::Module& module);

} // namespace sparserl
