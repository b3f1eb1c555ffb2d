// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"
#include "device/cuda/measurement.h"

#include <functional>

namespace sparserl::cuda {

/// Hardware counters of one call from CUPTI's range profiler, which repeats the call until it has collected
/// every counter. Machines often restrict counters to administrators, and containers forbid them. An Error
/// reports this or a missing CUPTI; all other functions still work. `call` enqueues one call on the GPU's
/// stream.
Result<HardwareCounters> collectCounters(Gpu& gpu, const std::function<Result<std::optional<Fault>>()>& call,
                                         double limitSeconds);

} // namespace sparserl::cuda
