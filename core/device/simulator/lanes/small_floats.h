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
    Zero, ///< Truncation.
    Up,   ///< To the next larger or smaller number.
    Down
};

/// The bits of the nearest number, with ties by `ties`. On overflow, infinity, or the largest number if
/// `ties` requires it.
std::uint32_t encode(double value, FloatFormat format, Ties ties);
/// The number represented by the bits.
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
