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

// What the simulator counts in a launch. The cost model turns the counts into times. They depend only on a
// device model's sizes (SMs, caches, occupancy), not on rates and latencies, so fitting a model needs no
// simulation.

/// The kinds of steps along the longest chain of dependent instructions. A load that continues to L2 or DRAM
/// counts once in each level that it reaches, so the times of all kinds add up.
enum class Step : std::uint8_t
{
    Clocks,    ///< Clocks of arithmetic: 4 for a dependent operation, 1 for an independent one.
    Load,      ///< Loads of global or local memory.
    BeyondL1,  ///< Those loads that miss in L1.
    BeyondL2,  ///< Those loads that also miss in L2 on a cold start.
    Shared,    ///< Accesses to shared memory, shuffles and votes.
    Barrier,   ///< Block barriers.
    Atomic,    ///< Atomics that return a value, and fences.
    Wavefront, ///< 128-byte lines of one load beyond its first line.
    Count
};
using StepCounts = std::array<float, static_cast<std::size_t>(Step::Count)>;

/// The kinds of work that SMs do while the chains of dependent instructions advance.
enum class Work : std::uint8_t
{
    Instructions, ///< All warp instructions.
    Integer,
    Float,
    Double,
    Special,
    Memory,      ///< Wavefronts of global and local memory.
    Shared,      ///< Wavefronts of shared memory.
    Shuffle,     ///< Shuffles, votes and similar instructions.
    L1Sectors,   ///< 32-byte sectors that instructions request.
    L2Sectors,   ///< Those sectors that L1 does not serve.
    DramSectors, ///< Those sectors that also miss in L2 on a cold start.
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

/// Blocks of a launch whose chains have similar lengths.
struct BlockClass
{
    double count = 0;
    double first = 0, last = 0; ///< Positions of the first and the last such block in the grid.
    std::array<double, static_cast<std::size_t>(Step::Count)>
        steps{};             ///< Chains of their slowest warps, averaged over the blocks.
    double instructions = 0; ///< Mean number of warp instructions per block.
};

struct LaunchProfile
{
    std::string kernel;
    std::int64_t blocks = 0, threadsPerBlock = 0;
    int blocksPerSm = 1;      ///< Number of blocks that are resident on an SM at a time.
    int codeInstructions = 0; ///< Number of instructions in the code that were executed at least once.
    std::vector<BlockClass> classes;
    WorkCounts total{};
    WorkCounts busiest{}; ///< Work of the busiest SM if blocks are assigned to SMs in turn.
    double storeSectors = 0;
    double atomicSectors = 0, atomicLanes = 0;
    double hottestWord = 0;     ///< Number of threads' atomics on the most used word.
    double hottestSector = 0;   ///< Number of warps' atomic requests for the most used sector.
    double distinctSectors = 0; ///< Number of different sectors that this launch touches.
};

/// The profile of one call.
struct CallProfile
{
    std::vector<LaunchProfile> launches;
    std::vector<std::int64_t> fills; ///< The size of each buffer that is set to zero, in bytes.
    /// Bytes that the call touches, in whole sectors: those of matrix, formats and scratch; those of x; those
    /// of y.
    double matrixBytes = 0, inputBytes = 0, outputBytes = 0;
};

nlohmann::json toJson(const CallProfile& profile);
/// Fails for a profile of another version.
Result<CallProfile> callProfileFromJson(const nlohmann::json& json);

} // namespace sparserl
