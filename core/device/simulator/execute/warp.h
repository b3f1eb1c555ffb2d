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
    bool waiting = false; ///< At a barrier or a shuffle, for lanes that are elsewhere.
};

enum class WarpState : std::uint8_t
{
    Ready,
    AtBarrier,
    Ended
};

/// What cp.async has read and not yet written to shared memory.
struct PendingCopy
{
    const Insn* insn = nullptr;
    Region* source = nullptr; ///< Nothing: it reads nothing.
    std::uint32_t from = 0, to = 0;
    std::uint32_t group = 0; ///< Of the lane.
    std::uint32_t began = 0; ///< RaceDetector::stamp when it was issued.
    std::uint8_t lane = 0, bytes = 0;
    std::uint8_t wanted = 0; ///< Bytes that it reads; the others become zero.
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
    // A strong read that keeps giving the same value: the warp waits for somebody else.
    std::uint32_t spinPc = 0, spinCount = 0;
    std::uint64_t spinSeen = 0;
    bool spun = false;
    std::uint32_t backward = 0; ///< Branches backwards since another side had a turn.
    bool turn = false;          ///< Whose turn it is when this side waits: another side's, or those ahead.
    std::vector<Chain> ready;   ///< When each scoreboard number can be read.
    std::vector<PendingCopy> copies;
    std::array<std::uint32_t, 32> copyGroups{}; ///< Groups that each lane has committed.
    Chain copied;                               ///< When the latest copy arrives.
    UnwrittenMarks marks;

    /// A strong read found `seen`.
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
    int arrived = 0;                  ///< Warps that wait.
    int signalled = 0;                ///< Warps that arrived without waiting.
    std::int64_t expectedThreads = 0; ///< 0: all of the block.
    /// Warps of bar.arrive and how far others then know them.
    std::vector<std::pair<int, std::uint32_t>> signals;
};

struct BlockContext : BlockMemory
{
    int level = 0; ///< As RunContext::level; of blocks that are checked, 2 or 3.
    std::vector<Warp> warps;
    std::array<BarrierState, 16> barriers{};
    BlockCost cost;
    int ended = 0;
    std::size_t nextWarp = 0;
    bool ticket = false; ///< It took something from global memory by an atomic: others come first.
    /// It stopped between a strong load and what follows: others come first, for a while.
    bool preempted = false;
    float now = 0;           ///< Nominal clocks of its slowest warp when it made room.
    int lateWarp = -1;       ///< Is held back until the others cannot go on without it.
    int lateTurns = 0;       ///< Turns of the block for which it has been.
    bool heldAtTurn = false; ///< When it next makes room for others, it is held back as a whole.
};

} // namespace sparserl::sim
