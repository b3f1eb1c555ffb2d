// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sparserl::sim {

// Simulated addresses. Each buffer lies in the middle of its own 64 GiB, so an index that is wrong by any
// 32-bit amount still names its array.
constexpr int regionShift = 36;
constexpr std::uint64_t regionMiddle = std::uint64_t(1) << (regionShift - 1);
constexpr std::uint64_t regionBase(std::uint32_t index)
{
    return (static_cast<std::uint64_t>(index + 1) << regionShift) + regionMiddle;
}
constexpr std::uint32_t constantRegion = 0; ///< .const variables of the kernel that runs.
constexpr std::uint32_t variableRegion = 1; ///< .global variables of the module, which nothing may write.
/// The region of a buffer of the plan.
constexpr std::uint32_t bufferRegion(std::size_t buffer)
{
    return static_cast<std::uint32_t>(buffer) + 2;
}
constexpr std::uint64_t sharedWindow = std::uint64_t(1) << 56; ///< Generic addresses of shared memory.
constexpr std::uint64_t localWindow = std::uint64_t(1) << 57;

} // namespace sparserl::sim
