// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "device/device.h"
#include "device/simulator/memory/faults.h"
#include "device/simulator/profile/profiler.h"

namespace sparserl::sim {

/// The settings of a launch.
struct LaunchSetup
{
    const KernelCode* code = nullptr;
    LaunchShape shape;
    std::int64_t dynamicShared = 0;
    std::vector<std::byte> params;
    Checks checks = Checks::All;
    bool counters = true;     ///< See ExecutionRequest.
    bool drawnBlocks = false; ///< See ExecutionRequest.
    Schedule schedule = Schedule::InOrder;
    std::uint64_t seed = 0;
    std::uint64_t stepBudget = 0;
    std::uint32_t launchNumber = 1; ///< Never 0. Race detection ignores histories of other launches.
    const DeviceModel* model = nullptr;
    int blocksPerSm = 1;
    CancelToken cancel;
};

struct LaunchOutcome
{
    std::optional<Fault> fault;
    bool cancelled = false;
    LaunchStatistics statistics;
};

/// Runs one kernel launch, with blocks in a seeded order. A block that does not finish soon yields to other
/// resident blocks, so that a block that waits for another one makes progress.
LaunchOutcome runLaunch(SimulatedMemory& memory, const LaunchSetup& setup);

} // namespace sparserl::sim
