// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"
#include "device/cuda/measurement.h"

#include <functional>

namespace sparserl::cuda {

/// Collects hardware counters of one call with CUPTI's range profiler, which repeats the call until it has
/// every counter. `call` enqueues one call on the GPU's stream. Returns an Error if CUPTI is missing or the
/// machine does not permit counters (many machines restrict them to administrators, and containers forbid
/// them). An Error does not affect other functions.
Result<HardwareCounters> collectCounters(Gpu& gpu, const std::function<Result<std::optional<Fault>>()>& call,
                                         double limitSeconds);

} // namespace sparserl::cuda
