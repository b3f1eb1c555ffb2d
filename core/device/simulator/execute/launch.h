// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "device/device.h"
#include "device/simulator/memory/faults.h"
#include "device/simulator/profile/profiler.h"

namespace sparserl::sim {

/// What to launch, and how.
struct LaunchSetup
{
    const KernelCode* code = nullptr;
    LaunchShape shape;
    std::int64_t dynamicShared = 0;
    std::vector<std::byte> params;
    Checks checks = Checks::All;
    bool counters = true;     ///< As ExecutionRequest says.
    bool drawnBlocks = false; ///< As ExecutionRequest says.
    Schedule schedule = Schedule::InOrder;
    std::uint64_t seed = 0;
    std::uint64_t stepBudget = 0;
    std::uint32_t launchNumber = 1; ///< Never 0; race histories of other launches do not count.
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

/// Runs one kernel launch. Blocks run in a seeded order; a block that does not finish soon makes room for
/// others that would be resident with it, so waiting for another block ends.
LaunchOutcome runLaunch(SimulatedMemory& memory, const LaunchSetup& setup);

} // namespace sparserl::sim
