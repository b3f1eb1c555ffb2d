// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/lanes/small_floats.h"

#include <algorithm>
#include <cmath>

namespace sparserl::sim {

namespace {

using U32 = std::uint32_t;

} // namespace

U32 encode(double value, FloatFormat format, Ties ties)
{
    const U32 sign = std::signbit(value) ? 1u << (format.exponentBits + format.fractionBits) : 0;
    const int bias = (1 << (format.exponentBits - 1)) - 1;
    const U32 infinity = ((1u << format.exponentBits) - 1) << format.fractionBits;
    if (std::isnan(value))
        return infinity | ((1u << format.fractionBits) - 1);
    const double size = std::fabs(value);
    if (std::isinf(value))
        return sign | infinity;
    if (size == 0)
        return sign;
    int exponent = 0;
    std::frexp(size, &exponent); // size = m * 2^exponent, m in [0.5, 1)
    // The unit of the last place, no finer than that of subnormal numbers.
    const int unit = std::max(exponent - 1, 1 - bias) - format.fractionBits;
    const double scaled = std::ldexp(size, -unit); // exact: a power of two
    double whole = std::floor(scaled);
    const double rest = scaled - whole;
    const bool nearest = ties == Ties::Even || ties == Ties::Away;
    const bool outwards = (ties == Ties::Up && !sign) || (ties == Ties::Down && sign);
    if (nearest ? rest > 0.5 || (rest == 0.5 && (ties == Ties::Away || std::fmod(whole, 2) == 1))
                : outwards && rest > 0)
        whole += 1;
    const double rounded = std::ldexp(whole, unit);
    if (rounded >= std::ldexp(1.0, bias + 1))
        return sign | (nearest || outwards ? infinity : infinity - 1);
    if (whole == 0)
        return sign;
    std::frexp(rounded, &exponent);
    if (exponent - 1 < 1 - bias) // subnormal
        return sign | static_cast<U32>(std::ldexp(rounded, bias - 1 + format.fractionBits));
    const auto fraction = static_cast<U32>(std::ldexp(rounded, format.fractionBits - (exponent - 1)) -
                                           std::ldexp(1.0, format.fractionBits));
    return sign | static_cast<U32>(exponent - 1 + bias) << format.fractionBits | fraction;
}

double decode(U32 bits, FloatFormat format)
{
    const int bias = (1 << (format.exponentBits - 1)) - 1;
    const U32 field = (bits >> format.fractionBits) & ((1u << format.exponentBits) - 1);
    const U32 fraction = bits & ((1u << format.fractionBits) - 1);
    const bool negative = (bits >> (format.exponentBits + format.fractionBits)) & 1;
    double value;
    if (field == (1u << format.exponentBits) - 1)
        value = fraction ? std::nan("") : HUGE_VAL;
    else if (field == 0)
        value = std::ldexp(double(fraction), 1 - bias - format.fractionBits);
    else
        value = std::ldexp(double(fraction | 1u << format.fractionBits),
                           static_cast<int>(field) - bias - format.fractionBits);
    return negative ? -value : value;
}

} // namespace sparserl::sim
