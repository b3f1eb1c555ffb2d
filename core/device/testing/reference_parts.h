// SPDX-License-Identifier: Apache-2.0
// Parts of the reference (reference.h), and helpers for bits and numbers. The code under test uses none of
// it.
#pragma once

#include "device/testing/reference.h"

#include <bit>
#include <cmath>
#include <limits>

namespace sparserl::testing {

using U64 = std::uint64_t;
using S64 = std::int64_t;
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

inline int bitsOf(ptx::Type type)
{
    return type == ptx::Type::Pred ? 1 : 8 * ptx::bytesOf(type);
}
inline U64 masked(U64 value, int bits)
{
    return bits >= 64 ? value : value & ((U64(1) << bits) - 1);
}
/// Returns the number that the low bits represent.
inline Wide number(U64 value, ptx::Type type)
{
    const int bits = bitsOf(type);
    const U64 low = masked(value, bits);
    if (ptx::isSigned(type) && (low >> (bits - 1)) & 1)
        return static_cast<Wide>(low) - (static_cast<Wide>(1) << bits);
    return static_cast<Wide>(low);
}
inline U64 back(Wide value, ptx::Type type)
{
    return masked(static_cast<U64>(value), bitsOf(type));
}
inline float f32(U64 value)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(value));
}
inline double f64(U64 value)
{
    return std::bit_cast<double>(value);
}
inline U64 of(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}
inline U64 of(double value)
{
    return std::bit_cast<U64>(value);
}
inline float flush(float value)
{
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

/// Returns the float that is nearest in a direction to `exact`, a value that long double represents exactly.
/// `negativeZero` is the sign of an exact zero.
template <class F>
F directed(long double exact, ptx::Rounding rounding, bool negativeZero)
{
    if (std::isnan(exact))
        return std::numeric_limits<F>::quiet_NaN();
    if (exact == 0)
        return negativeZero ? -F(0) : F(0);
    if (std::isinf(exact))
        return static_cast<F>(exact);
    F nearest = static_cast<F>(exact); // to nearest, ties to even
    const F infinity = std::numeric_limits<F>::infinity(), largest = std::numeric_limits<F>::max();
    const bool down = rounding == ptx::Rounding::Rm || (rounding == ptx::Rounding::Rz && exact > 0);
    const bool up = rounding == ptx::Rounding::Rp || (rounding == ptx::Rounding::Rz && exact < 0);
    if (down && (std::isinf(nearest) ? nearest > 0 : static_cast<long double>(nearest) > exact))
        nearest = std::isinf(nearest) ? largest : std::nextafter(nearest, -infinity);
    if (up && (std::isinf(nearest) ? nearest < 0 : static_cast<long double>(nearest) < exact))
        nearest = std::isinf(nearest) ? -largest : std::nextafter(nearest, infinity);
    if (nearest == 0)
        nearest = exact < 0 ? -F(0) : F(0);
    return nearest;
}

/// Arithmetic of f32 and f64 on their bits.
U64 ofFloat(const ptx::OpcodeForm& form, U64 a, U64 b, U64 c);
U64 ofDouble(const ptx::OpcodeForm& form, U64 a, U64 b, U64 c);
/// Sums, products, quotients and roots, rounded in the direction `rounding`.
float directedSingle(ptx::Op op, float a, float b, float c, ptx::Rounding rounding);
U64 ofDirectedDouble(ptx::Op op, double x, double y, double z, ptx::Rounding rounding);
/// Returns the result of testp.
bool ofClass(const ptx::OpcodeForm& form, U64 a);
/// Arithmetic of integers, and operations on bits.
U64 ofInteger(const ptx::OpcodeForm& form, U64 a, U64 b, U64 c, U64 d);

} // namespace sparserl::testing
