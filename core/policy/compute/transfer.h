// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

namespace sparserl {

/// Copies a tensor from the host to a device without waiting for the copy. It copies through pinned memory,
/// because a copy from pageable memory would wait for all earlier work on the device.
inline torch::Tensor onDevice(const torch::Tensor& host, torch::Device device)
{
    return device.is_cpu() ? host : host.pin_memory().to(device, /*non_blocking=*/true);
}

} // namespace sparserl
