// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/launch_profile.h"
#include "machine/device_model.h"

#include <string>
#include <vector>

namespace sparserl::sim {

/// The time that the model computes for a launch.
struct LaunchTime
{
    double microseconds = 0; ///< Without launch latency.
    std::string boundBy;     ///< "dram", "l2", "l1", "issue", "latency", "atomics", "launch"
    double imbalance = 1;    ///< Largest work of an SM divided by the mean over SMs.
};

/// The time that the model computes for a call. Warm: for consecutive calls with x and y rotating over a
/// ring. Cold: with empty caches.
struct CallTime
{
    std::vector<LaunchTime> warm, cold; ///< One element per launch.
    double warmMicroseconds = 0, coldMicroseconds = 0;
};

/// Returns the share of a call's data that L2 still holds from earlier calls over a ring of 8 vectors.
double residentShare(const DeviceModel& model, const CallProfile& profile);

/// Returns the time of a launch whose first accesses find a share `resident` of their data in L2. A kernel
/// ends with its last block: blocks are chains of dependent steps, and run one after another if not all are
/// resident. It does not end before the busiest SM has issued its instructions and moved its data, nor before
/// L2, DRAM and atomics have served all requests. Limits of similar size do not overlap perfectly, so they
/// are joined as a p-norm.
LaunchTime launchTime(const DeviceModel& model, const LaunchProfile& launch, double resident);

/// Returns the time that it takes to set a buffer to zero.
double fillTime(const DeviceModel& model, std::int64_t bytes);

/// Returns the time of a whole call. This is a pure function that takes microseconds, because a fit calls it
/// millions of times.
CallTime callTime(const DeviceModel& model, const CallProfile& profile);

} // namespace sparserl::sim
