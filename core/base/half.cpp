// SPDX-License-Identifier: Apache-2.0
#include "base/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sparserl {

namespace {

constexpr int halfDigits = 11, halfLeast = -14, halfMost = 15; ///< IEEE's binary16.

} // namespace

std::uint16_t halfBits(double value)
{
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>(sign | 0x7e00);
    int exponent = 0;
    std::frexp(size, &exponent);
    exponent = size == 0 ? halfLeast : std::max(exponent - 1, halfLeast);
    // The value in units of its last digit. It is at least 1024 for normal numbers, and less for smaller
    // ones.
    const double digits = std::isinf(size) ? 0 : std::nearbyint(std::ldexp(size, halfDigits - 1 - exponent));
    if (std::isinf(size) || std::ldexp(digits, exponent - halfDigits + 1) >= std::ldexp(1.0, halfMost + 1))
        return static_cast<std::uint16_t>(sign | 0x7c00);
    const auto whole = static_cast<std::uint32_t>(digits);
    return static_cast<std::uint16_t>(sign |
                                      ((static_cast<std::uint32_t>(exponent - halfLeast) << 10) + whole));
}

double fromHalfBits(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const double size = exponent == 31  ? (digits != 0 ? std::nan("") : HUGE_VAL)
                        : exponent == 0 ? std::ldexp(digits, halfLeast - halfDigits + 1)
                                        : std::ldexp(digits + 1024, exponent - 15 - halfDigits + 1);
    return (bits & 0x8000) != 0 ? -size : size;
}

std::uint16_t brainBits(double value)
{
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (std::isnan(value))
        return 0x7fc0;
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double fromBrainBits(std::uint16_t bits)
{
    return std::bit_cast<float>(std::uint32_t(bits) << 16);
}

} // namespace sparserl
