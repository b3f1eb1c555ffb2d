// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// The instruction determines the type of a register's bytes. Files that include this header are therefore
// compiled with -fno-strict-aliasing.
namespace sparserl::sim {

/// Returns the 32 lanes of a 32-bit register, or the word of a predicate, which has one bit per lane.
inline std::uint32_t* words(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint32_t*>(registers + slot);
}
/// Returns the 32 lanes of a 64-bit register.
inline std::uint64_t* doubles(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint64_t*>(registers + slot);
}
/// Reads a value of `width` bytes. Each width has its own access, because a copy of variable size would be a
/// call per lane.
inline std::uint64_t readBytes(const std::byte* at, int width)
{
    const auto read = [at](auto bits) -> std::uint64_t {
        std::memcpy(&bits, at, sizeof(bits));
        return bits;
    };
    switch (width) {
    case 1:
        return read(std::uint8_t());
    case 2:
        return read(std::uint16_t());
    case 4:
        return read(std::uint32_t());
    case 8:
        return read(std::uint64_t());
    default:
        std::uint64_t bits = 0;
        std::memcpy(&bits, at, width);
        return bits;
    }
}
inline void writeBytes(std::byte* at, std::uint64_t value, int width)
{
    const auto write = [at](auto bits) { std::memcpy(at, &bits, sizeof(bits)); };
    switch (width) {
    case 1:
        return write(static_cast<std::uint8_t>(value));
    case 2:
        return write(static_cast<std::uint16_t>(value));
    case 4:
        return write(static_cast<std::uint32_t>(value));
    case 8:
        return write(value);
    default:
        std::memcpy(at, &value, width);
    }
}

} // namespace sparserl::sim
