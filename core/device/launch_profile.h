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

// What the simulator counts of a launch and the cost model turns into time. Nothing here depends on rates or
// latencies of a device model, only on its sizes (SMs, caches, occupancy), so a fit of the model needs no
// simulation.

/// Steps along the longest chain of dependent instructions. A load that goes on to L2 or DRAM counts in each
/// level it reaches, so the kinds add up.
enum class Step : std::uint8_t
{
    Clocks,    ///< Arithmetic: clocks at 4 for a dependent operation, 1 for an independent one.
    Load,      ///< Loads of global or local memory.
    BeyondL1,  ///< Of these, those that L1 did not have.
    BeyondL2,  ///< Of these, those that L2 did not have on a cold start.
    Shared,    ///< Shared memory, shuffles, votes.
    Barrier,   ///< Block barriers.
    Atomic,    ///< Atomics that return a value, and fences.
    Wavefront, ///< Further 128-byte lines of one load.
    Count
};
using StepCounts = std::array<float, static_cast<std::size_t>(Step::Count)>;

/// Work that SMs do in parallel to the chains.
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
    L1Sectors,   ///< 32-byte sectors asked for.
    L2Sectors,   ///< Of these, those that went past L1.
    DramSectors, ///< Of these, those that L2 did not have on a cold start.
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
    std::array<double, static_cast<std::size_t>(Step::Count)> steps{}; ///< Mean of their slowest warps.
    double instructions = 0;                                           ///< Mean warp instructions.
};

struct LaunchProfile
{
    std::string kernel;
    std::int64_t blocks = 0, threadsPerBlock = 0;
    int blocksPerSm = 1;      ///< Occupancy.
    int codeInstructions = 0; ///< Instructions of the kernel that ran at least once.
    std::vector<BlockClass> classes;
    WorkCounts total{};
    WorkCounts busiest{}; ///< Of the SM with most work where blocks go round robin.
    double storeSectors = 0;
    double atomicSectors = 0, atomicLanes = 0;
    double hottestWord = 0;     ///< Atomics of threads on the busiest word.
    double hottestSector = 0;   ///< Requests of warps for atomics on the busiest sector.
    double distinctSectors = 0; ///< Touched by this launch.
};

/// Everything of one call.
struct CallProfile
{
    std::vector<LaunchProfile> launches;
    std::vector<std::int64_t> fills; ///< Bytes of each buffer that is zeroed.
    /// Bytes touched over the call (whole sectors): of matrix, formats and scratch; of x; of y.
    double matrixBytes = 0, inputBytes = 0, outputBytes = 0;
};

nlohmann::json toJson(const CallProfile& profile);
/// Refuses profiles of another version.
Result<CallProfile> callProfileFromJson(const nlohmann::json& json);

} // namespace sparserl
