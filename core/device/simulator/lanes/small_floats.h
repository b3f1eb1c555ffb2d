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
    Up,   ///< Towards +infinity; Down is towards -infinity.
    Down
};

/// Returns the bits of `value`, rounded to the format in the mode `ties`. On overflow, the result is
/// infinity, or the largest finite number if the mode requires it.
std::uint32_t encode(double value, FloatFormat format, Ties ties);
/// Returns the number that the bits represent.
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
