// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/address_layout.h"
#include "device/simulator/memory/caches.h"
#include "device/simulator/memory/memory.h"
#include "device/simulator/memory/races.h"

namespace sparserl::sim {

/// The memory and caches that persist across launches.
struct SimulatedMemory
{
    /// Returns the region that contains an address or is nearest to it, or AddressMap::nothing if no region
    /// is near. `who`: see AddressMap.
    std::uint32_t regionOf(std::uint64_t address, const void* who) const
    {
        if (map.active())
            return map.regionOf(address, who);
        const std::uint64_t region = (address >> regionShift) - 1;
        return region < regions.size() ? static_cast<std::uint32_t>(region) : AddressMap::nothing;
    }

    std::vector<Region> regions; ///< Region 0 holds the .const variables of the current kernel.
    AddressMap map;              ///< Active if the arrays are not apart.
    std::size_t historyRoom =
        std::size_t(256) << 20; ///< Number of bytes left for the histories of words that some blocks touch.
    L2Cache l2;
    std::vector<std::uint64_t> touched; ///< One bit per sector; set if the sector was requested from L2.
};

/// The memory of one block.
struct BlockMemory
{
    std::uint32_t number = 0; ///< Number of the block in the grid.
    LazyBytes registers, local;
    std::vector<std::byte> shared;
    WrittenBytes sharedWritten, localWritten;
    WordHistories sharedHistory;
    std::uint32_t generation = 0;
    bool tracked = false; ///< The knowledge that the block exchanges with other blocks is tracked.
    BlockClock clock;
};

/// The registers of one warp.
struct WarpRegisters
{
    std::byte* registers = nullptr;
    int index = 0; ///< Index of the warp in its block.
};

/// The memory that some lanes of an instruction address.
struct AddressedMemory
{
    ptx::Space space = ptx::Space::Global;
    Region* region = nullptr; ///< Set for global and constant memory.
    std::byte* host = nullptr;
    WrittenBytes* written = nullptr;
    WordHistories* history = nullptr;
    std::uint32_t generation = 0;
    bool dense = false;         ///< All lanes access contiguous elements.
    std::uint64_t syncBase = 0; ///< Identifies the memory's words for release and acquire.

    /// Returns true if all bytes that the lanes in `mask` read have been written. A lane reads `width` bytes.
    bool isWritten(std::uint32_t mask, const std::uint32_t* offsets, std::uint32_t width) const
    {
        if (dense && written->testRun(offsets[0], width * lanesPerWarp))
            return true;
        for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
            if (!written->test(offsets[__builtin_ctz(rest)], width))
                return false;
        }
        return true;
    }
};

/// Returns the shared memory of a block.
inline AddressedMemory addressedShared(BlockMemory& block)
{
    AddressedMemory target;
    target.space = ptx::Space::Shared;
    target.host = block.shared.data();
    target.written = &block.sharedWritten;
    target.history = &block.sharedHistory;
    target.generation = block.generation;
    target.syncBase = (std::uint64_t(1) << 63) | std::uint64_t(block.number) << 24;
    return target;
}

/// Returns an array in global or constant memory during a launch.
inline AddressedMemory addressedRegion(Region& region, ptx::Space space, std::uint32_t launchNumber)
{
    AddressedMemory target;
    target.space = space;
    target.region = &region;
    target.host = region.host;
    target.written = &region.written;
    target.history = &region.history;
    target.generation = launchNumber;
    target.syncBase = region.base;
    return target;
}

/// The number of warp instructions that may still be executed.
struct StepBudget
{
    std::uint64_t left = 0;

    void charge(std::uint64_t steps) { left -= std::min(left, steps); }
};

} // namespace sparserl::sim
