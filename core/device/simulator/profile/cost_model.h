// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/launch_profile.h"
#include "machine/device_model.h"

#include <string>
#include <vector>

namespace sparserl::sim {

/// What a launch takes on the modelled device.
struct LaunchTime
{
    double microseconds = 0; ///< Without launch latency.
    std::string boundBy;     ///< "dram", "l2", "l1", "issue", "latency", "atomics", "launch"
    double imbalance = 1;    ///< Busiest SM over the mean.
};

/// What a call takes: warm, where calls follow each other and x and y rotate over a ring, and cold.
struct CallTime
{
    std::vector<LaunchTime> warm, cold; ///< By launch.
    double warmMicroseconds = 0, coldMicroseconds = 0;
};

/// The share of what a call touches that L2 still holds from earlier calls when they go on in turn over a
/// ring of 8 vectors.
double residentShare(const DeviceModel& model, const CallProfile& profile);

/// A launch whose first touches find a share of `resident` in L2. A kernel ends when its last block does
/// (chains of dependent steps, blocks after blocks where not all are resident), and not before the busiest
/// SM has issued its instructions and moved its data, nor before L2, DRAM and atomics have served everything.
/// Where two of these limits are close they do not overlap perfectly: they join as a p-norm.
LaunchTime launchTime(const DeviceModel& model, const LaunchProfile& launch, double resident);

/// Time to set a buffer to zero.
double fillTime(const DeviceModel& model, std::int64_t bytes);

/// The whole call. A pure function of its arguments, microseconds of work: fits call it millions of times.
CallTime callTime(const DeviceModel& model, const CallProfile& profile);

} // namespace sparserl::sim
