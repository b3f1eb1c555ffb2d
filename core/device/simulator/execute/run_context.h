// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/drawn_blocks.h"
#include "device/simulator/execute/launch.h"
#include "device/simulator/execute/warp.h"

namespace sparserl::sim {

/// A sequence of random numbers from a seed (xorshift64).
class RandomSequence
{
public:
    explicit RandomSequence(std::uint64_t seed)
        : m_state(seed ? seed : 1)
    {
        for (int i = 0; i < 8; ++i)
            next();
    }
    std::uint64_t next()
    {
        m_state ^= m_state << 13;
        m_state ^= m_state >> 7;
        m_state ^= m_state << 17;
        return m_state;
    }

private:
    std::uint64_t m_state;
};

// Levels: 0 only computes results, 1 also counts, 2 applies all checks and counts, 3 applies all checks.
constexpr bool counts(int level)
{
    return level == 1 || level == 2;
}
constexpr bool checksAll(int level)
{
    return level >= 2;
}

/// The state that all parts of a launch share.
struct RunContext
{
    explicit RunContext(const LaunchSetup& launch)
        : setup(launch)
        , code(*launch.code)
        , level(launch.checks == Checks::None       ? 0
                : launch.checks == Checks::Counters ? 1
                : launch.counters                   ? 2
                                                    : 3)
        , drawn(launch.drawnBlocks && level < 2)
        , shuffled(launch.schedule == Schedule::Shuffled)
        , mixesSides(shuffled || checksAll(level))
        , preempts(mixesSides && launch.code->strongStores)
        , warpsPerBlock(launch.shape.warpsPerBlock())
        , sharedBytes(launch.code->staticShared + launch.dynamicShared)
        , faults(*launch.code, launch.shape)
        , steps{launch.stepBudget}
        , checkedBlocks(drawn ? DrawnBlocks(launch.shape, launch.seed ^ launch.launchNumber) : DrawnBlocks())
        , random(launch.seed * 0x9e3779b97f4a7c15u + launch.launchNumber * 0xbf58476d1ce4e5b9u + 1)
    {
    }
    bool fault(const BlockContext& block, const Warp& warp, const Insn& insn, int lane, FaultKind kind,
               std::string message)
    {
        return faults.report({block.number, warp.index}, insn, lane, kind, std::move(message));
    }

    /// For runs without counters: returns true if other blocks run after this atomic. This is rare, because
    /// switching costs more than running.
    bool takesTurns() { return shuffled && (random.next() & 63) == 0; }

    const LaunchSetup& setup;
    const KernelCode& code;
    int level;       ///< See counts() and checksAll().
    bool drawn;      ///< Applies all checks in `checkedBlocks`, in addition to the checks of `level`.
    bool shuffled;   ///< Blocks and warps run in a seeded order.
    bool mixesSides; ///< The sides of a branch run in a seeded order.
    bool preempts;   ///< Other blocks nearly always run between a strong load and a dependent store.
    int warpsPerBlock;
    std::int64_t sharedBytes; ///< Shared memory per block.
    Faults faults;
    StepBudget steps;
    DrawnBlocks checkedBlocks;
    RandomSequence random;
    std::uint64_t changes = 0; ///< Number of stores, of atomics that changed a word, and of barriers passed.
    std::uint64_t failedSwaps =
        0; ///< Number of compare-and-swaps in which at least one lane found an unexpected value.
    std::size_t pendingCopies = 0; ///< Number of pending copies of all warps.
    bool preempt =
        false; ///< Other blocks should run between the current strong load and the next instructions.
    bool yielded =
        false; ///< The current instruction was not executed, because another side of the warp runs first.
};

} // namespace sparserl::sim
