// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"
#include "ptx/module.h"

#include <optional>

namespace sparserl {

/// Every call of a plan against the kernels of its PTX: they exist and take the arguments.
std::optional<BindFailure> checkCalls(const BoundPlan& plan, const ptx::Module& module);

} // namespace sparserl
