// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/block_factory.h"
#include "device/simulator/execute/waiting_blocks.h"
#include "device/simulator/execute/warp_executor.h"

namespace sparserl::sim {

/// Schedules the blocks of a launch and the warps of a block.
class Scheduler
{
public:
    Scheduler(SimulatedMemory& memory, const LaunchSetup& setup);
    LaunchOutcome run();

private:
    /// Sets the number of simultaneously active blocks.
    void limitActive();
    /// Starts and returns the next block in start order.
    std::unique_ptr<BlockContext> startNext();
    /// Returns the next block to run, or nullptr if a block that just started is held back.
    std::unique_ptr<BlockContext> chooseNext();
    std::uint32_t lateBlock();
    std::unique_ptr<BlockContext> releaseHeld();
    std::unique_ptr<BlockContext> takeWaiting();
    /// Gives a block one turn. Afterwards the block waits or has ended.
    void giveTurn(std::unique_ptr<BlockContext> block);

    /// Runs a block. Returns true if it has ended, false if it waits or its slice is over. Check
    /// RunContext::faults.
    bool runBlock(BlockContext& block, std::uint64_t slice);
    /// The result of a round over the warps.
    struct Round
    {
        bool progress = false, waiting = true, preempted = false;
        std::uint64_t steps = 0;
    };
    /// Runs each ready warp of the block for a while. Returns false after a fault.
    bool runWarps(BlockContext& block, Round& round);
    void finishBlock(BlockContext& block);

    RunContext m_run;
    Profiler m_profiler;
    MemorySystem m_memory;
    WarpExecutor m_executor;
    BlockFactory m_factory;

    std::int64_t m_total = 0;  ///< Blocks of the launch.
    std::int64_t m_active = 0; ///< Maximum number of simultaneous blocks.
    std::int64_t m_started = 0, m_finished = 0;
    std::vector<std::unique_ptr<BlockContext>> m_idle;
    std::vector<std::uint32_t> m_window; ///< Blocks that are resident together. They start in any order.
    std::size_t m_windowAt = 0;
    std::int64_t m_nextWindow = 0; ///< First block of the next window.
    WaitingBlocks m_waiting;
    std::size_t m_outOfTurn = 0;
    LateBlocks m_late;
    bool m_lateByWarp = false; ///< A block is late because one of its warps is late. This finds code that
                               ///< counts the block too early.
    std::unique_ptr<BlockContext> m_held;
    std::uint64_t m_lateSteps = 0; ///< If fewer steps are left, no block is held back.
    bool m_cancelled = false;
};

} // namespace sparserl::sim
