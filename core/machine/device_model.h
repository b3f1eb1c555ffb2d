// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A GPU as described to the cost model. Rates are per SM and cycle unless the name says otherwise.
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
    int registerUnit = 256; ///< Allocation unit of registers for a warp.
    std::int64_t sharedPerSm = 233472;
    std::int64_t sharedPerBlockReserved = 1024;
    std::int64_t sharedUnit = 128;
    std::int64_t maxSharedPerBlock = 232448;
    // caches
    std::int64_t l1Bytes = 262144; ///< L1 and shared memory together.
    std::int64_t l2Bytes = 52428800;

    // The following members are fitted to measurements (`sparserl device calibrate`); costParameters() lists
    // them.
    // rates of an SM
    double issuePerClock = 4;       ///< Warp instructions of the PTX that an SM issues.
    double loadClocks = 1;          ///< Cycles of the memory unit for each 128-byte line of a load or store.
    double sharedClocks = 1;        ///< Cycles of the memory unit for a pass over shared memory or a shuffle.
    double specialClocks = 2;       ///< Cycles for a special-function instruction.
    double fp64Clocks = 0.5;        ///< Cycles for a double-precision instruction.
    double l1SectorsPerClock = 4;   ///< Sectors of 32 bytes that an SM receives from L1.
    double l2SectorsPerSmClock = 2; ///< Sectors that one SM receives from L2.
    double blockClocks = 50;        ///< Cycles to start a further block on an SM.
    // rates of the device
    double l2GBps = 5500;
    double dramGBps = 4200;
    double atomicsPerClock = 48;     ///< Sectors with atomics served by L2.
    double sameWordAtomicClocks = 1; ///< Cycles between atomics on one word.
    double sameSectorAtomicClocks = 0.5;
    // latencies: cycles for each step of a chain (launch_profile.h)
    double clockScale = 1; ///< Cycles for each cycle of arithmetic in a chain.
    double l1Latency = 34;
    double l2Latency = 230;   ///< In addition to the latency of L1.
    double dramLatency = 380; ///< In addition to the latency of L2.
    double sharedLatency = 24;
    double barrierLatency = 25;
    double atomicLatency = 500;
    double wavefrontLatency = 2; ///< Cycles for each further line of a load.
    double codeClocks = 2;       ///< Cycles to fetch an instruction for the first time.
    double startClocks = 600;    ///< Cycles before a kernel's first instruction, plus the cycles of its end.
    // residence in L2 between calls
    double l2Share = 0.8;   ///< The share of l2Bytes that stays resident between calls.
    double l2Sharpness = 6; ///< How abruptly residence ends beyond that share.
    double overlap = 3;     ///< The p of the norm that combines the limits: a larger p means more overlap.
    // fixed costs, microseconds
    double launchMicroseconds = 1.5;     ///< First launch of a call in a CUDA graph.
    double nextLaunchMicroseconds = 1.2; ///< Every further launch of a call.
    double coldMicroseconds = 0.5;       ///< Added for a call that finds nothing in the caches.
    double fillMicroseconds = 1.2;       ///< Time to zero a buffer, plus its bytes divided by the bandwidth.
};

/// The model "h200": the default device, and the device that estimates are fitted to.
const DeviceModel& defaultDeviceModel();
/// Finds a declared model ("h200" or "generic"). Returns nullptr for an unknown name.
const DeviceModel* findDeviceModel(std::string_view name);
std::vector<std::string> deviceModelNames();

/// Loads a declared model by its name, or a model from a TOML file (`sparserl device calibrate --out`) or
/// from TOML text (jobs carry models as text). Fails for anything else.
Result<DeviceModel> loadDeviceModel(std::string_view nameOrFileOrText);
/// Returns all numbers of a model as TOML.
std::string toToml(const DeviceModel& model);

/// A number of a model that a fit may change.
struct CostParameter
{
    const char* name = "";
    double DeviceModel::*member = nullptr;
    double low = 0, high = 0; ///< Bounds. If both are positive, the search uses a logarithmic scale.
};
const std::vector<CostParameter>& costParameters();

/// The number of resident blocks per SM and the resource that limits it.
struct Occupancy
{
    int blocksPerSm = 0;
    double fraction = 0; ///< Resident warps divided by the maximum.
    std::string limiter; ///< "threads", "registers", "shared memory", "blocks", or "grid" if the grid is too
                         ///< small to fill the device.
};
Occupancy occupancyOf(const DeviceModel& model, std::int64_t threadsPerBlock, int registers,
                      std::int64_t sharedBytes, std::int64_t gridBlocks);

} // namespace sparserl
