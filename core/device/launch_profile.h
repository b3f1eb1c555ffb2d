// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kernel/bind.h"

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace sparserl {

// The simulator's counts for a launch, from which the cost model computes times. They depend only on a device
// model's sizes (SMs, caches, occupancy), not on rates or latencies, so fitting the model needs no
// simulation.

/// Steps along the longest chain of dependent instructions. A load that continues to L2 or DRAM counts in
/// each level it reaches, so the kinds add up.
enum class Step : std::uint8_t
{
    Clocks,    ///< Arithmetic: clocks at 4 for a dependent operation, 1 for an independent one.
    Load,      ///< Loads of global or local memory.
    BeyondL1,  ///< Of these, misses in L1.
    BeyondL2,  ///< Of these, misses in L2 on a cold start.
    Shared,    ///< Shared memory, shuffles, votes.
    Barrier,   ///< Block barriers.
    Atomic,    ///< Atomics that return a value, and fences.
    Wavefront, ///< Additional 128-byte lines of one load.
    Count
};
using StepCounts = std::array<float, static_cast<std::size_t>(Step::Count)>;

/// Work of SMs in parallel to the chains.
enum class Work : std::uint8_t
{
    Instructions, ///< Warp instructions.
    Integer,
    Float,
    Double,
    Special,
    Memory,      ///< Wavefronts of global and local memory.
    Shared,      ///< Wavefronts of shared memory.
    Shuffle,     ///< Shuffles, votes and the like.
    L1Sectors,   ///< Requested 32-byte sectors.
    L2Sectors,   ///< Of these, sectors that went past L1.
    DramSectors, ///< Of these, misses in L2 on a cold start.
    Barriers,    ///< Warps that waited at a barrier.
    Count
};
using WorkCounts = std::array<double, static_cast<std::size_t>(Work::Count)>;

constexpr std::size_t at(Step step)
{
    return static_cast<std::size_t>(step);
}
constexpr std::size_t at(Work work)
{
    return static_cast<std::size_t>(work);
}

/// Blocks with chains of similar length.
struct BlockClass
{
    double count = 0;
    double first = 0, last = 0;                                        ///< Positions in the grid.
    std::array<double, static_cast<std::size_t>(Step::Count)> steps{}; ///< Mean over their slowest warps.
    double instructions = 0;                                           ///< Mean warp instructions.
};

struct LaunchProfile
{
    std::string kernel;
    std::int64_t blocks = 0, threadsPerBlock = 0;
    int blocksPerSm = 1;      ///< Occupancy.
    int codeInstructions = 0; ///< Instructions executed at least once.
    std::vector<BlockClass> classes;
    WorkCounts total{};
    WorkCounts busiest{}; ///< Work of the busiest SM under round-robin assignment of blocks.
    double storeSectors = 0;
    double atomicSectors = 0, atomicLanes = 0;
    double hottestWord = 0;     ///< Atomics of threads on the most used word.
    double hottestSector = 0;   ///< Atomic requests of warps on the most used sector.
    double distinctSectors = 0; ///< Sectors touched by this launch.
};

/// The profile of one call.
struct CallProfile
{
    std::vector<LaunchProfile> launches;
    std::vector<std::int64_t> fills; ///< Bytes of each zeroed buffer.
    /// Bytes touched in the call (whole sectors): of matrix, formats and scratch; of x; of y.
    double matrixBytes = 0, inputBytes = 0, outputBytes = 0;
};

nlohmann::json toJson(const CallProfile& profile);
/// Refuses profiles of another version.
Result<CallProfile> callProfileFromJson(const nlohmann::json& json);

} // namespace sparserl
