// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

namespace sparserl {

/// Copies a host tensor to a device without waiting. A copy from pageable memory would wait for all earlier
/// work on the device.
inline torch::Tensor onDevice(const torch::Tensor& host, torch::Device device)
{
    return device.is_cpu() ? host : host.pin_memory().to(device, /*non_blocking=*/true);
}

} // namespace sparserl
