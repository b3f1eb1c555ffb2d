// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"
#include "machine/device_model.h"

namespace sparserl {

/// Returns the limits of a device for bindPlan.
DeviceLimits limitsOf(const DeviceModel& model);

} // namespace sparserl
