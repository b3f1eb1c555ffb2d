// SPDX-License-Identifier: Apache-2.0
#include "device/device_limits.h"

namespace sparserl {

DeviceLimits limitsOf(const DeviceModel& model)
{
    DeviceLimits limits;
    limits.maxSharedOptinBytes = model.maxSharedPerBlock;
    limits.smCount = model.smCount;
    return limits;
}

} // namespace sparserl
