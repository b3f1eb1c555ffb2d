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
    bool waiting = false; ///< This side waits for other lanes at a barrier or a shuffle.
};

enum class WarpState : std::uint8_t
{
    Ready,
    AtBarrier,
    Ended
};

/// The data of a cp.async that have been read but not yet written to shared memory.
struct PendingCopy
{
    const Insn* insn = nullptr;
    Region* source = nullptr; ///< If nullptr, the copy reads nothing.
    std::uint32_t from = 0, to = 0;
    std::uint32_t group = 0; ///< Number of the copy's group among the groups of its lane.
    std::uint32_t began = 0; ///< RaceDetector::stamp() when the copy was issued.
    std::uint8_t lane = 0, bytes = 0;
    std::uint8_t wanted = 0; ///< Number of bytes to read. The rest is filled with zeros.
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
    std::uint32_t barrierPredicates = 0; ///< The predicates of bar.red.
    WarpTimeline time;
    // A strong read that keeps returning the same value. The warp waits for another value.
    std::uint32_t spinPc = 0, spinCount = 0;
    std::uint64_t spinSeen = 0;
    bool spun = false;
    std::uint32_t backward = 0; ///< Number of backward branches since the last turn of another side.
    bool turn =
        false; ///< Selects who runs next while this side waits: another side, or the lanes that are ahead.
    std::vector<Chain> ready; ///< The time at which each scoreboard number becomes readable.
    std::vector<PendingCopy> copies;
    std::array<std::uint32_t, 32> copyGroups{}; ///< Number of committed groups per lane.
    Chain copied;                               ///< Time at which the latest copy arrives.
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
    int arrived = 0;                  ///< Number of warps that wait.
    int signalled = 0;                ///< Number of warps that arrived and did not wait.
    std::int64_t expectedThreads = 0; ///< If 0, all threads of the block.
    /// The warps that executed bar.arrive. After the barrier, other warps know the accesses of such a warp
    /// that are below the counter stored with it.
    std::vector<std::pair<int, std::uint32_t>> signals;
};

struct BlockContext : BlockMemory
{
    int level = 0; ///< Like RunContext::level; 2 or 3 for a block that is checked.
    std::vector<Warp> warps;
    std::array<BarrierState, 16> barriers{};
    BlockCost cost;
    int ended = 0;
    std::size_t nextWarp = 0;
    bool ticket = false; ///< An atomic took a value from global memory. Other blocks run first.
    /// The block stopped between a strong load and the next instructions. Other blocks run first for a while.
    bool preempted = false;
    float now = 0;           ///< Nominal clocks of the block's slowest warp when the block yielded.
    int lateWarp = -1;       ///< The warp that is held back until the others cannot proceed without it.
    int lateTurns = 0;       ///< Number of turns of the block since `lateWarp` was chosen.
    bool heldAtTurn = false; ///< When the block yields next, the whole block is held back.
};

} // namespace sparserl::sim
