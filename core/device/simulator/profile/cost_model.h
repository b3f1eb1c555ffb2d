// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/launch_profile.h"
#include "machine/device_model.h"

#include <string>
#include <vector>

namespace sparserl::sim {

/// The modelled time of a launch.
struct LaunchTime
{
    double microseconds = 0; ///< Without launch latency.
    std::string boundBy;     ///< "dram", "l2", "l1", "issue", "latency", "atomics", "launch"
    double imbalance = 1;    ///< Maximum over mean of the SMs' work.
};

/// The modelled time of a call: warm, for consecutive calls with x and y rotating over a ring, and cold.
struct CallTime
{
    std::vector<LaunchTime> warm, cold; ///< By launch.
    double warmMicroseconds = 0, coldMicroseconds = 0;
};

/// The share of a call's data that L2 still holds from earlier calls over a ring of 8 vectors.
double residentShare(const DeviceModel& model, const CallProfile& profile);

/// The time of a launch whose first accesses find a share of `resident` in L2. A kernel ends with its last
/// block (chains of dependent steps, blocks after blocks if not all are resident), but not before the busiest
/// SM has issued its instructions and moved its data, nor before L2, DRAM and atomics have served everything.
/// Limits of similar size do not overlap perfectly and are joined as a p-norm.
LaunchTime launchTime(const DeviceModel& model, const LaunchProfile& launch, double resident);

/// Time to set a buffer to zero.
double fillTime(const DeviceModel& model, std::int64_t bytes);

/// The time of a whole call. A pure function that takes microseconds: fits call it millions of times.
CallTime callTime(const DeviceModel& model, const CallProfile& profile);

} // namespace sparserl::sim
