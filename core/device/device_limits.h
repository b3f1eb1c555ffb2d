// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"
#include "machine/device_model.h"

namespace sparserl {

/// What bindPlan needs to know about a device.
DeviceLimits limitsOf(const DeviceModel& model);

} // namespace sparserl
