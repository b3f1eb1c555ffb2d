// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl::sim {

/// A floating-point format of at most 32 bits.
struct FloatFormat
{
    int exponentBits, fractionBits;
};
constexpr FloatFormat halfFormat{5, 10}, brainFormat{8, 7}, tensorFormat{8, 10};

enum class Ties
{
    Even,
    Away,
    Zero, ///< No rounding up at all.
    Up,   ///< To the next number above, and below.
    Down
};

/// The bits of the nearest number, by `ties`; infinity, or the largest number where `ties` says so, where it
/// is too large.
std::uint32_t encode(double value, FloatFormat format, Ties ties);
/// The number that bits stand for.
double decode(std::uint32_t bits, FloatFormat format);

inline double fromHalf(std::uint32_t bits)
{
    return decode(bits & 0xffff, halfFormat);
}
inline double fromBrain(std::uint32_t bits)
{
    return decode(bits & 0xffff, brainFormat);
}
inline std::uint32_t toHalf(double value)
{
    return encode(value, halfFormat, Ties::Even);
}

} // namespace sparserl::sim
