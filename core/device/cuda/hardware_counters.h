// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"
#include "device/cuda/measurement.h"

#include <functional>

namespace sparserl::cuda {

/// Hardware counters of one call through CUPTI's range profiler: the call is repeated until every counter has
/// had its pass. Machines often permit counters to administrators only, and containers to nobody: then, and
/// where CUPTI is missing, an Error says so, and everything else works without. `call` puts one call on the
/// GPU's stream.
Result<HardwareCounters> collectCounters(Gpu& gpu, const std::function<Result<std::optional<Fault>>()>& call,
                                         double limitSeconds);

} // namespace sparserl::cuda
