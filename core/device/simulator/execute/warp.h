// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/unwritten_marks.h"
#include "device/simulator/memory/simulated_memory.h"
#include "device/simulator/profile/profiler.h"

#include <array>
#include <vector>

namespace sparserl::sim {

struct StackEntry
{
    std::uint32_t pc = 0, reconverge = 0, mask = 0;
    bool waiting = false; ///< Waits at a barrier or a shuffle for other lanes.
};

enum class WarpState : std::uint8_t
{
    Ready,
    AtBarrier,
    Ended
};

/// Data of a cp.async that were read but not yet written to shared memory.
struct PendingCopy
{
    const Insn* insn = nullptr;
    Region* source = nullptr; ///< nullptr: reads nothing.
    std::uint32_t from = 0, to = 0;
    std::uint32_t group = 0; ///< Number of the copy's group in its lane.
    std::uint32_t began = 0; ///< RaceDetector::stamp at its issue.
    std::uint8_t lane = 0, bytes = 0;
    std::uint8_t wanted = 0; ///< Bytes to read; the rest is zero-filled.
    std::array<std::byte, 16> data{};
};

struct Warp : WarpRegisters
{
    std::uint32_t pc = 0, reconverge = 0, mask = 0, live = 0;
    std::vector<StackEntry> stack;
    WarpState state = WarpState::Ready;
    int barrier = 0;
    std::uint32_t barrierPc = 0;
    bool barrierCounted = false;
    std::uint32_t barrierPredicates = 0; ///< bar.red
    WarpTimeline time;
    // A strong read that repeatedly returns the same value: the warp waits for another one.
    std::uint32_t spinPc = 0, spinCount = 0;
    std::uint64_t spinSeen = 0;
    bool spun = false;
    std::uint32_t backward = 0; ///< Backward branches since another side's last turn.
    bool turn = false; ///< Selects who runs while this side waits: another side, or lanes that are ahead.
    std::vector<Chain> ready; ///< When each scoreboard number becomes readable.
    std::vector<PendingCopy> copies;
    std::array<std::uint32_t, 32> copyGroups{}; ///< Committed groups per lane.
    Chain copied;                               ///< Arrival time of the latest copy.
    UnwrittenMarks marks;

    /// Records that a strong read returned `seen`.
    void noteRead(std::uint64_t seen)
    {
        spinCount = spinPc == pc && spinSeen == seen ? spinCount + 1 : 0;
        spinPc = pc;
        spinSeen = seen;
        spun = spinCount >= 4;
    }
};

struct BarrierState
{
    int arrived = 0;                  ///< Waiting warps.
    int signalled = 0;                ///< Warps that arrived without waiting.
    std::int64_t expectedThreads = 0; ///< 0: the whole block.
    /// Warps that executed bar.arrive, each with the counter below which other warps know its accesses after
    /// the barrier.
    std::vector<std::pair<int, std::uint32_t>> signals;
};

struct BlockContext : BlockMemory
{
    int level = 0; ///< As RunContext::level; 2 or 3 for checked blocks.
    std::vector<Warp> warps;
    std::array<BarrierState, 16> barriers{};
    BlockCost cost;
    int ended = 0;
    std::size_t nextWarp = 0;
    bool ticket = false; ///< An atomic took a value from global memory: other blocks run first.
    /// The block stopped between a strong load and the next instructions. Other blocks run first for a while.
    bool preempted = false;
    float now = 0;           ///< Nominal clocks of its slowest warp when it yielded.
    int lateWarp = -1;       ///< The warp that is held back until the others cannot proceed without it.
    int lateTurns = 0;       ///< Turns of the block since then.
    bool heldAtTurn = false; ///< At its next yield, the whole block is held back.
};

} // namespace sparserl::sim
