// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kernel/plan.h"

#include <string>
#include <vector>

namespace sparserl {

/// plan.cpp of a bundle: build_plan() for this plan, on export/runtime.h.
Result<std::string> bundlePlanSource(const Plan& plan);
/// kernels.cu of a bundle: the device code, then one accessor per kernel for plan.cpp.
std::string bundleKernelSource(const KernelProgram& program);

} // namespace sparserl
