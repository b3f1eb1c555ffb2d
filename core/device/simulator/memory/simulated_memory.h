// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/address_layout.h"
#include "device/simulator/memory/caches.h"
#include "device/simulator/memory/memory.h"
#include "device/simulator/memory/races.h"

namespace sparserl::sim {

/// Memory and caches that persist across launches.
struct SimulatedMemory
{
    /// The region that contains an address or is nearest to it; AddressMap::nothing if there is none. `who`:
    /// see AddressMap.
    std::uint32_t regionOf(std::uint64_t address, const void* who) const
    {
        if (map.active())
            return map.regionOf(address, who);
        const std::uint64_t region = (address >> regionShift) - 1;
        return region < regions.size() ? static_cast<std::uint32_t>(region) : AddressMap::nothing;
    }

    std::vector<Region> regions; ///< [0] holds .const variables of the current kernel.
    AddressMap map;              ///< Active if arrays are not apart.
    std::size_t historyRoom = std::size_t(256)
                              << 20; ///< Bytes left for histories of words that some blocks touch.
    L2Cache l2;
    std::vector<std::uint64_t> touched; ///< One bit per sector requested from L2.
};

/// Memory of one block.
struct BlockMemory
{
    std::uint32_t number = 0; ///< Number in the grid.
    LazyBytes registers, local;
    std::vector<std::byte> shared;
    WrittenBytes sharedWritten, localWritten;
    WordHistories sharedHistory;
    std::uint32_t generation = 0;
    bool tracked = false; ///< Its exchange of knowledge with other blocks is tracked.
    BlockClock clock;
};

/// Registers of one warp.
struct WarpRegisters
{
    std::byte* registers = nullptr;
    int index = 0; ///< Index of the warp in its block.
};

/// Memory addressed by some lanes of an instruction.
struct AddressedMemory
{
    ptx::Space space = ptx::Space::Global;
    Region* region = nullptr; ///< For global and constant memory.
    std::byte* host = nullptr;
    WrittenBytes* written = nullptr;
    WordHistories* history = nullptr;
    std::uint32_t generation = 0;
    bool dense = false;         ///< All lanes, with contiguous elements.
    std::uint64_t syncBase = 0; ///< Identifies words for release and acquire.

    /// Whether every byte read in the lanes of `mask`, `width` each, has been written.
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

/// The shared memory of a block.
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

/// An array in global or constant memory, during a launch.
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

/// Remaining instructions of a warp.
struct StepBudget
{
    std::uint64_t left = 0;

    void charge(std::uint64_t steps) { left -= std::min(left, steps); }
};

} // namespace sparserl::sim
