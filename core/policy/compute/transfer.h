// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

namespace sparserl {

/// A tensor of the host on a device, without waiting for what the device is doing: a copy from ordinary
/// memory would wait for all work that was begun before it.
inline torch::Tensor onDevice(const torch::Tensor& host, torch::Device device)
{
    return device.is_cpu() ? host : host.pin_memory().to(device, /*non_blocking=*/true);
}

} // namespace sparserl
