// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/run_context.h"

#include <memory>

namespace sparserl::sim {

/// Room for blocks, and blocks that begin in it.
class BlockFactory
{
public:
    explicit BlockFactory(RunContext& run)
        : m_run(run)
    {
    }
    /// Bytes that one block takes, roughly.
    std::int64_t bytesOfBlock() const;
    std::unique_ptr<BlockContext> make() const;
    /// The block of this number begins in a context that make() gave, used before or not.
    void start(BlockContext& block, std::uint32_t number);
    /// Holds one warp of a block back, in some of the runs.
    void chooseLateWarp(BlockContext& block);

private:
    void setConstants(Warp& warp) const;
    void setSpecialRegisters(Warp& warp) const;
    void startWarp(BlockContext& block, Warp& warp);
    /// What nothing has written holds values that no program can count on.
    void poison(const BlockContext& block, const Warp& warp) const;

    RunContext& m_run;
    std::uint32_t m_generation = 0;
};

} // namespace sparserl::sim
