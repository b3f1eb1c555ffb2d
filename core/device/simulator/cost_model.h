// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_model.h"
#include "device/simulator/interpreter.h"

#include <string>

namespace sparserl::sim {

/// What a launch takes on the modelled device.
struct LaunchTime
{
    double microseconds = 0; ///< Without launch latency.
    std::string boundBy;
    double imbalance = 1; ///< Busiest SM over the mean.
};

/// Blocks are put on the SM slots that become free first. An SM ends when its last block does, and not before
/// its busiest unit has done the work of all its blocks; the device not before L2, DRAM and atomics have.
/// Where two of these are close they do not overlap perfectly, so they join as a 4-norm, not as a maximum.
/// `residentShare`: the part of the first touches (distinct sectors) that L2 already holds: 0 cold, 1 warm.
LaunchTime launchTime(const DeviceModel& model, const LaunchStatistics& statistics, int blocksPerSm,
                      double residentShare);

/// Time to set a buffer to zero.
double fillTime(const DeviceModel& model, std::int64_t bytes);

} // namespace sparserl::sim
