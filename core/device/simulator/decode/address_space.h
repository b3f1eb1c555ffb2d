// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

#include <cstddef>
#include <cstdint>

namespace sparserl::sim {

// Simulated addresses. In the layout with separate arrays, each array is in the middle of its own 64 GiB, so
// an index that is wrong by any 32-bit number still identifies its array. (The other layouts are in
// memory/address_layout.h.)
constexpr int regionShift = 36;
constexpr std::uint64_t regionMiddle = std::uint64_t(1) << (regionShift - 1);
constexpr std::uint64_t regionBase(std::uint32_t index)
{
    return (static_cast<std::uint64_t>(index + 1) << regionShift) + regionMiddle;
}
constexpr std::uint32_t constantRegion = 0; ///< .const variables of the current kernel.
constexpr std::uint32_t variableRegion = 1; ///< .global variables of the module, which are read-only.
/// Returns the region of a buffer of the plan.
constexpr std::uint32_t bufferRegion(std::size_t buffer)
{
    return static_cast<std::uint32_t>(buffer) + 2;
}
constexpr std::uint64_t maxConstantBytes = std::uint64_t(64) << 10;
constexpr std::uint64_t maxVariableBytes = std::uint64_t(64) << 20;

/// The addresses of all data other than the plan's arrays.
struct AddressPlan
{
    std::uint64_t constants = regionBase(constantRegion), variables = regionBase(variableRegion);
    /// Generic addresses of shared and local memory. The window of each starts `below` bytes before its
    /// address and is `span` bytes long.
    std::uint64_t sharedWindow = std::uint64_t(1) << 56, localWindow = std::uint64_t(1) << 57;
    std::uint64_t below = std::uint64_t(1) << 52, span = std::uint64_t(1) << 53;
    std::uint32_t firstShared = 0; ///< Start of a block's shared memory, as an address in the space .shared.

    /// Returns the space of the window that contains a generic address, and sets `window` to the window's
    /// address. Returns Space::Global if the address is in neither window.
    ptx::Space windowOf(std::uint64_t address, std::uint64_t& window) const
    {
        if (address - (localWindow - below) < span) {
            window = localWindow;
            return ptx::Space::Local;
        }
        if (address - (sharedWindow - below) < span) {
            window = sharedWindow;
            return ptx::Space::Shared;
        }
        return ptx::Space::Global;
    }
    ptx::Space spaceOf(std::uint64_t address) const
    {
        std::uint64_t window = 0;
        const ptx::Space space = windowOf(address, window);
        return space == ptx::Space::Global && address - constants < maxConstantBytes ? ptx::Space::Const
                                                                                     : space;
    }
};

} // namespace sparserl::sim
