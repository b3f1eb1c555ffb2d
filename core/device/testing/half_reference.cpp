// SPDX-License-Identifier: Apache-2.0
#include "device/testing/half_reference.h"

#include <bit>
#include <cmath>
#include <limits>

namespace sparserl::testing {

using ptx::Rounding;

long double roundTo(long double value, int precision, int lowest, Rounding rounding, bool tiesAway)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    int exponent = 0;
    std::frexp(value, &exponent);
    const int unit = std::max(exponent - precision, lowest);
    const long double scaled = std::ldexp(value, -unit);
    long double whole = tiesAway ? std::round(scaled) : std::nearbyint(scaled);
    if (rounding == Rounding::Rz)
        whole = std::trunc(scaled);
    else if (rounding == Rounding::Rm)
        whole = std::floor(scaled);
    else if (rounding == Rounding::Rp)
        whole = std::ceil(scaled);
    return std::copysign(std::ldexp(whole, unit), value);
}

long double halfValue(std::uint64_t bits, bool brain)
{
    if (brain)
        return static_cast<long double>(
            std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0xffff) << 16));
    const long double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = static_cast<int>((bits >> 10) & 31);
    const long double fraction = static_cast<long double>(bits & 1023);
    if (exponent == 31)
        return fraction != 0 ? std::numeric_limits<long double>::quiet_NaN()
                             : sign * std::numeric_limits<long double>::infinity();
    return exponent == 0 ? sign * fraction * 0x1p-24L : sign * std::ldexp(1024 + fraction, exponent - 25);
}

std::uint64_t toHalf(long double value, bool brain, Rounding rounding)
{
    if (std::isnan(value))
        return 0x7fff;
    const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    const bool inwards = std::isfinite(value) &&
                         (rounding == Rounding::Rz || rounding == (sign ? Rounding::Rp : Rounding::Rm));
    const long double size =
        std::fabs(brain ? roundTo(value, 8, -133, rounding) : roundTo(value, 11, -24, rounding));
    if (brain) {
        if (size >= 0x1p128L)
            return sign | (inwards ? 0x7f7f : 0x7f80);
        return sign | std::bit_cast<std::uint32_t>(static_cast<float>(size)) >> 16;
    }
    if (size > 65504)
        return sign | (inwards ? 0x7bff : 0x7c00);
    // By the definition: sign, exponent from 2^-14 up, ten bits behind the point.
    if (size < 0x1p-14L)
        return sign | static_cast<std::uint64_t>(size * 0x1p24L);
    int exponent = 0;
    const long double fraction = 2 * std::frexp(size, &exponent) - 1;
    return sign | static_cast<std::uint64_t>(exponent - 1 + 15) << 10 |
           static_cast<std::uint64_t>(fraction * 1024);
}

} // namespace sparserl::testing
