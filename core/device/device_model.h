// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A GPU as the cost model sees it. Rates are per SM and clock unless named otherwise.
struct DeviceModel
{
    std::string name;
    int smCount = 132;
    double clockGHz = 1.7;
    // limits
    int maxThreadsPerSm = 2048;
    int maxWarpsPerSm = 64;
    int maxBlocksPerSm = 32;
    std::int64_t registersPerSm = 65536;
    int registerUnit = 256; ///< Registers are given to a warp in units of this many.
    std::int64_t sharedPerSm = 233472;
    std::int64_t sharedPerBlockReserved = 1024;
    std::int64_t sharedUnit = 128;
    std::int64_t maxSharedPerBlock = 232448;
    // caches
    std::int64_t l1Bytes = 262144; ///< L1 and shared memory together.
    std::int64_t l2Bytes = 52428800;
    // rates
    double issuePerClock = 4; ///< Warp instructions.
    double fp32PerClock = 4;  ///< Warp instructions of each class ...
    double int32PerClock = 2;
    double fp64PerClock = 2;
    double specialPerClock = 0.5;
    double loadStorePerClock = 1; ///< Warp memory instructions; a wavefront serves 128 bytes.
    double shuffleEveryClocks = 1;
    double l1SectorsPerClock = 4;       ///< 32-byte sectors.
    double l2GBps = 5500;               ///< Whole device.
    double dramGBps = 4200;             ///< Whole device, reachable.
    double atomicsPerClock = 48;        ///< Whole device: sectors with atomics that L2 serves.
    double sameAddressAtomicClocks = 2; ///< Between atomics on one word.
    // latencies, clocks
    double aluLatency = 4;
    double specialLatency = 18;
    double fp64Latency = 8;
    double sharedLatency = 24;
    double shuffleLatency = 24;
    double barrierLatency = 20;
    double l1Latency = 34;
    double l2Latency = 260;
    double dramLatency = 640;
    double atomicLatency = 400;
    double fenceLatency = 500;
    // fixed costs, microseconds
    double launchMicroseconds = 2.0;     ///< First launch of a call, under a graph.
    double nextLaunchMicroseconds = 1.0; ///< Every further launch of a call.
    double blockStartClocks = 300;
    double fillMicroseconds = 1.2; ///< Zeroing a buffer, plus its bytes over the bandwidth.
};

/// The declared models: "h200", "generic". nullptr for an unknown name.
const DeviceModel* findDeviceModel(std::string_view name);
std::vector<std::string> deviceModelNames();
/// What bindPlan needs to know about a device.
DeviceLimits limitsOf(const DeviceModel& model);

/// Resident blocks per SM and what limits them.
struct Occupancy
{
    int blocksPerSm = 0;
    double fraction = 0; ///< Resident warps over the most possible.
    std::string limiter; ///< "threads", "registers", "shared memory", "blocks", or "grid" for a grid too
                         ///< small to fill.
};
Occupancy occupancyOf(const DeviceModel& model, std::int64_t threadsPerBlock, int registers,
                      std::int64_t sharedBytes, std::int64_t gridBlocks);

} // namespace sparserl
