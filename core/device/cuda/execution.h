// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"
#include "device/device.h"

namespace sparserl::cuda {

/// Implements CudaDevice::execute.
Result<ExecutionResult> runExecution(Gpu& gpu, const ExecutionRequest& request);

} // namespace sparserl::cuda
