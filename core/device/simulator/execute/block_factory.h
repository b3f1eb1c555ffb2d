// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/run_context.h"

#include <memory>

namespace sparserl::sim {

/// Allocates space for blocks, and starts blocks in that space.
class BlockFactory
{
public:
    explicit BlockFactory(RunContext& run)
        : m_run(run)
    {
    }
    /// Returns the approximate size of a block in bytes.
    std::int64_t bytesOfBlock() const;
    std::unique_ptr<BlockContext> make() const;
    /// Starts the block with this number in a context from make(), which may have been used before.
    void start(BlockContext& block, std::uint32_t number);
    /// In some of the runs, delays one warp of the block.
    void chooseLateWarp(BlockContext& block);

private:
    void setConstants(Warp& warp) const;
    void setSpecialRegisters(Warp& warp) const;
    void startWarp(BlockContext& block, Warp& warp);
    /// Fills unwritten memory with values that no program can rely on.
    void poison(const BlockContext& block, const Warp& warp) const;

    RunContext& m_run;
    std::uint32_t m_generation = 0;
};

} // namespace sparserl::sim
