// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/run_context.h"
#include "device/simulator/memory/memory_system.h"

namespace sparserl::sim {

/// The barriers of a block.
class Barriers
{
public:
    Barriers(RunContext& run, MemorySystem& memory)
        : m_run(run)
        , m_memory(memory)
    {
    }
    /// Lets a warp arrive at a barrier. Returns false after a fault (the warp is not allowed to arrive), or
    /// if another side of the warp runs first (RunContext::yielded).
    bool arrive(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    /// Releases the warps of complete barriers. Returns false after a fault.
    bool release(BlockContext& block, bool& released);
    /// Reports that warps of a block wait for other warps that never arrive.
    void reportStuck(BlockContext& block);

private:
    /// The warps that meet at a barrier.
    struct Meeting
    {
        std::vector<int> participants;
        Chain latest;
        std::uint32_t all = allLanes, any = 0; ///< AND and OR of the predicates of bar.red.
        int count = 0;

        void reset()
        {
            participants.clear();
            latest = {};
            all = allLanes;
            any = 0;
            count = 0;
        }
    };
    bool complete(const BlockContext& block, const BarrierState& barrier) const;
    bool gather(BlockContext& block, int id, Meeting& meeting);
    void resume(BlockContext& block, const Meeting& meeting) const;

    RunContext& m_run;
    MemorySystem& m_memory;
    // These are members so that their memory is reused: blocks that reduce in shared memory meet at a barrier
    // every few instructions.
    Meeting m_meeting;
    std::vector<bool> m_ended;
};

} // namespace sparserl::sim
