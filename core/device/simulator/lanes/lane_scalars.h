// SPDX-License-Identifier: Apache-2.0
// What further operations compute for one lane. Included by lane_ops_body.h only.
#pragma once

#include "device/simulator/lanes/comparison.h"
#include "device/simulator/lanes/lane_values.h"

namespace sparserl::sim {

namespace {

/// Rounds a double sum, whose exact remainder is `rest`, to a float in a direction.
inline float directed(double sum, double rest, Rounding rounding)
{
    float r = static_cast<float>(sum);
    if (r != r || sum - sum != 0)
        return r;
    // The exact value is sum + rest; the result is the nearest float on the correct side.
    const double wide = static_cast<double>(r);
    const bool above = wide > sum || (wide == sum && rest < 0);
    const bool below = wide < sum || (wide == sum && rest > 0);
    const bool negative = sum < 0 || (sum == 0 && rest < 0);
    const bool down = rounding == Rounding::Rm || (rounding == Rounding::Rz && !negative);
    std::uint32_t bits = __builtin_bit_cast(std::uint32_t, r);
    auto step = [&](bool up) {
        if ((bits & 0x7fffffffu) == 0)
            bits = up ? 1u : 0x80000001u;
        else if (((bits >> 31) == 0) == up)
            ++bits;
        else
            --bits;
        r = __builtin_bit_cast(float, bits);
    };
    if (down && above)
        step(false);
    else if (!down && below)
        step(true);
    return r;
}
template <class V>
inline V divide(V a, V b)
{
    if (b == 0)
        return static_cast<V>(~V(0)); // as in the hardware's sequence
    if constexpr (signedValue<V>) {
        if (b == -1)
            return static_cast<V>(0 - static_cast<typename UnsignedOf<V>::type>(a));
    }
    return static_cast<V>(a / b);
}
template <class V>
inline V remainder(V a, V b)
{
    if (b == 0)
        return a;
    if constexpr (signedValue<V>) {
        if (b == -1)
            return 0;
    }
    return static_cast<V>(a % b);
}
template <class V>
inline V floatMinMax(V a, V b, bool maximum, bool nan)
{
    if (a != a || b != b) {
        if (nan || (a != a && b != b))
            return __builtin_nan("");
        return a != a ? b : a;
    }
    if (a == b) // +0 is above -0
        return (__builtin_signbit(a) != 0) == maximum ? b : a;
    return (a < b) != maximum ? a : b;
}
template <class V>
inline int leadingZeros(V value)
{
    if constexpr (sizeof(V) == 8)
        return value ? __builtin_clzll(value) : 64;
    else
        return value ? __builtin_clz(value) : 32;
}
template <class V>
inline V fieldExtract(V a, std::uint32_t position, std::uint32_t length)
{
    using U = typename UnsignedOf<V>::type;
    constexpr std::uint32_t top = 8 * sizeof(V) - 1;
    position &= 0xff;
    length &= 0xff;
    if (length == 0)
        return 0;
    const U bits = static_cast<U>(a);
    U field = position > top ? 0 : bits >> position;
    const std::uint32_t end = position + length - 1;
    const std::uint32_t signAt = end < top ? end : top;
    const bool negative = signedValue<V> && ((bits >> signAt) & 1);
    // The source ends at bit `top`, the field at `length`; above the smaller one come sign bits.
    const std::uint32_t have = position > top ? 0 : top + 1 - position;
    const std::uint32_t keep = length < have ? length : have;
    if (keep <= top) {
        const U low = (U(1) << keep) - 1;
        field = (field & low) | (negative ? ~low : U(0));
    }
    return static_cast<V>(field);
}
template <class V>
inline V fieldInsert(V a, V b, std::uint32_t position, std::uint32_t length)
{
    constexpr std::uint32_t width = 8 * sizeof(V);
    position &= 0xff;
    length &= 0xff;
    if (length == 0 || position >= width)
        return b;
    const V low = length >= width ? ~V(0) : (V(1) << length) - 1;
    const V field = low << position;
    return (b & ~field) | ((a << position) & field);
}
template <class V>
inline std::uint32_t findLeading(V a, bool shiftAmount)
{
    using U = typename UnsignedOf<V>::type;
    constexpr int top = 8 * sizeof(V) - 1;
    U bits = static_cast<U>(a);
    if (signedValue<V> && (bits >> top))
        bits = ~bits;
    if (bits == 0)
        return 0xffffffffu;
    const int position = top - leadingZeros(bits);
    return static_cast<std::uint32_t>(shiftAmount ? top - position : position);
}
inline std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector)
{
    const std::uint64_t bytes = (static_cast<std::uint64_t>(b) << 32) | a;
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t control = selector >> (4 * i);
        std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (control & 7))) & 0xff;
        if (control & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}
inline std::uint32_t logic3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table)
{
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < 8; ++i) {
        const std::uint32_t term = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
        result |= (table >> i) & 1 ? term : 0;
    }
    return result;
}
template <class V>
inline V reverseBits(V value)
{
    V result = 0;
    for (unsigned i = 0; i < 8 * sizeof(V); ++i)
        result |= ((value >> i) & 1) << (8 * sizeof(V) - 1 - i);
    return result;
}
template <class V>
inline V multiplyHigh(V a, V b)
{
    if constexpr (sizeof(V) == 8) {
        if constexpr (signedValue<V>)
            return static_cast<V>((static_cast<I128>(a) * b) >> 64);
        else
            return static_cast<V>((static_cast<U128>(a) * b) >> 64);
    } else if constexpr (signedValue<V>) {
        return static_cast<V>((static_cast<std::int64_t>(a) * b) >> (8 * sizeof(V)));
    } else {
        return static_cast<V>((static_cast<std::uint64_t>(a) * b) >> (8 * sizeof(V)));
    }
}
template <class V>
inline V roundIntegral(V value, Rounding rounding)
{
    // Half to even, independent of the library's rounding mode.
    switch (rounding) {
    case Rounding::Rzi:
        return __builtin_trunc(value);
    case Rounding::Rmi:
        return __builtin_floor(value);
    case Rounding::Rpi:
        return __builtin_ceil(value);
    default:
        break;
    }
    const V down = __builtin_floor(value);
    const V rest = value - down;
    V result = rest < V(0.5)   ? down
               : rest > V(0.5) ? down + 1
                               : (down / 2 == __builtin_floor(down / 2) ? down : down + 1);
    return __builtin_copysign(result, value);
}
template <class To, class From>
inline To floatToInteger(From value, Rounding rounding)
{
    if (value != value) {
        if (sizeof(From) == 8 || sizeof(To) == 8)
            return static_cast<To>(std::uint64_t(1) << (8 * sizeof(To) - 1));
        return 0;
    }
    const double rounded = roundIntegral(static_cast<double>(value), rounding);
    constexpr double two = 2.0;
    double limit = 1;
    for (unsigned i = 0; i < 8 * sizeof(To) - (signedValue<To> ? 1 : 0); ++i)
        limit *= two;
    if (rounded >= limit)
        return highest<To>();
    if (rounded < (signedValue<To> ? -limit : 0.0))
        return lowest<To>();
    return static_cast<To>(rounded);
}
template <class To, class From>
inline To integerToFloat(From value, Rounding rounding)
{
    const To nearest = static_cast<To>(value);
    if (rounding == Rounding::Rn)
        return nearest;
    // Compares exactly in 128 bits and steps to the other side if needed.
    auto asWide = [](To f) { return static_cast<I128>(f); };
    const I128 exact = static_cast<I128>(value);
    const bool down = rounding == Rounding::Rm || (rounding == Rounding::Rz && exact >= 0);
    To result = nearest;
    using Bits = typename Lane<sizeof(To) == 4 ? Type::U32 : Type::U64>::Value;
    Bits bits = __builtin_bit_cast(Bits, result);
    if (down && asWide(result) > exact)
        bits += result > 0 ? Bits(-1) : Bits(1);
    else if (!down && asWide(result) < exact)
        bits += result < 0 ? Bits(-1) : Bits(1);
    return __builtin_bit_cast(To, bits);
}
inline float narrow(double value, Rounding rounding)
{
    return rounding == Rounding::Rn || rounding == Rounding::None ? static_cast<float>(value)
                                                                  : directed(value, 0, rounding);
}
} // namespace

} // namespace sparserl::sim
