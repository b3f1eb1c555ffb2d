// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// Registers are bytes that hold what the instruction says; files that include this are compiled with
// -fno-strict-aliasing.
namespace sparserl::sim {

/// The 32 lanes of a register of 32 bits; of a predicate, one word with a bit for each.
inline std::uint32_t* words(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint32_t*>(registers + slot);
}
/// The 32 lanes of a register of 64 bits.
inline std::uint64_t* doubles(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint64_t*>(registers + slot);
}
inline std::uint64_t readBytes(const std::byte* at, int width)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, width);
    return bits;
}

} // namespace sparserl::sim
