// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/scalar_ops.h"

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <utility>

namespace sparserl::sim {

namespace {

using ptx::Op;
using ptx::Rounding;
using ptx::Type;
using U64 = std::uint64_t;
using U32 = std::uint32_t;

/// A floating-point format of at most 32 bits.
struct Format
{
    int exponentBits, fractionBits;
};
constexpr Format half{5, 10}, brain{8, 7}, tensor{8, 10};

enum class Ties
{
    Even,
    Away,
    Zero ///< No rounding up at all.
};

U32 encode(double value, Format format, Ties ties)
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
    if (ties != Ties::Zero &&
        (rest > 0.5 || (rest == 0.5 && (ties == Ties::Away || std::fmod(whole, 2) == 1))))
        whole += 1;
    const double rounded = std::ldexp(whole, unit);
    if (rounded >= std::ldexp(1.0, bias + 1))
        return sign | (ties == Ties::Zero ? infinity - 1 : infinity);
    if (whole == 0)
        return sign;
    std::frexp(rounded, &exponent);
    if (exponent - 1 < 1 - bias) // subnormal
        return sign | static_cast<U32>(std::ldexp(rounded, bias - 1 + format.fractionBits));
    const auto fraction = static_cast<U32>(std::ldexp(rounded, format.fractionBits - (exponent - 1)) -
                                           std::ldexp(1.0, format.fractionBits));
    return sign | static_cast<U32>(exponent - 1 + bias) << format.fractionBits | fraction;
}

double decode(U32 bits, Format format)
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

template <bool Brain>
constexpr Format formatOf = Brain ? brain : half;

template <bool Brain, bool Ftz>
double in(U64 bits)
{
    const double value = decode(static_cast<U32>(bits & 0xffff), formatOf<Brain>);
    const double least = Brain ? 0x1p-126 : 0x1p-14;
    return Ftz && std::fabs(value) < least ? std::copysign(0.0, value) : value;
}
template <bool Brain, bool Ftz>
U32 out(double value)
{
    const U32 bits = encode(value, formatOf<Brain>, Ties::Even);
    if (Ftz && (bits & (Brain ? 0x7f80u : 0x7c00u)) == 0)
        return bits & 0x8000;
    return bits;
}

/// a * b + c in double, so that rounding it again to few bits is as good as rounding once (to odd).
double fusedToOdd(double a, double b, double c)
{
    const double product = a * b; // exact: few bits
    const double sum = product + c;
    const double other = sum - product;
    const double error = (product - (sum - other)) + (c - other);
    if (error == 0 || !std::isfinite(sum))
        return sum;
    const U64 bits = std::bit_cast<U64>(sum);
    if (bits & 1)
        return sum;
    return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}

template <Op O, bool Brain, bool Ftz>
U32 halfOp(U64 a, U64 b, U64 c)
{
    if constexpr (O == Op::Neg)
        return static_cast<U32>((Ftz ? out<Brain, Ftz>(in<Brain, Ftz>(a)) : a) ^ 0x8000) & 0xffff;
    else if constexpr (O == Op::Abs)
        return static_cast<U32>(Ftz ? out<Brain, Ftz>(in<Brain, Ftz>(a)) : a) & 0x7fff;
    else {
        const double x = in<Brain, Ftz>(a), y = in<Brain, Ftz>(b);
        if constexpr (O == Op::Add)
            return out<Brain, Ftz>(x + y);
        else if constexpr (O == Op::Sub)
            return out<Brain, Ftz>(x - y);
        else if constexpr (O == Op::Mul)
            return out<Brain, Ftz>(x * y);
        else if constexpr (O == Op::Fma)
            return out<Brain, Ftz>(fusedToOdd(x, y, in<Brain, Ftz>(c)));
        else {
            if (std::isnan(x) && std::isnan(y))
                return 0x7fff;
            if (std::isnan(x) || std::isnan(y))
                return out<Brain, Ftz>(std::isnan(x) ? y : x);
            const bool first = x == y ? std::signbit(x) == (O == Op::Min) : (x < y) == (O == Op::Min);
            return out<Brain, Ftz>(first ? x : y);
        }
    }
}
template <Op O, bool Brain, bool Ftz, bool Pair>
U64 halves(U64 a, U64 b, U64 c)
{
    const U32 low = halfOp<O, Brain, Ftz>(a, b, c);
    if constexpr (!Pair)
        return low;
    else
        return low | static_cast<U64>(halfOp<O, Brain, Ftz>(a >> 16, b >> 16, c >> 16)) << 16;
}

template <Op O>
ScalarFn halfFn(const ptx::OpcodeForm& form)
{
    switch (form.type) {
    case Type::F16:
        return form.ftz ? &halves<O, false, true, false> : &halves<O, false, false, false>;
    case Type::F16x2:
        return form.ftz ? &halves<O, false, true, true> : &halves<O, false, false, true>;
    case Type::BF16:
        return &halves<O, true, false, false>;
    case Type::BF16x2:
        return &halves<O, true, false, true>;
    default:
        return nullptr;
    }
}

float single(U64 bits)
{
    return std::bit_cast<float>(static_cast<U32>(bits));
}
template <bool Brain, Ties T>
U64 narrowed(U64 a, U64, U64)
{
    return encode(double(single(a)), formatOf<Brain>, T);
}
/// The first source goes to the upper half.
template <bool Brain, Ties T>
U64 narrowedPair(U64 a, U64 b, U64)
{
    return static_cast<U64>(encode(double(single(a)), formatOf<Brain>, T)) << 16 |
           encode(double(single(b)), formatOf<Brain>, T);
}
U64 widened(U64 a, U64, U64)
{
    return std::bit_cast<U32>(static_cast<float>(decode(static_cast<U32>(a & 0xffff), half)));
}
U64 toTensor(U64 a, U64, U64)
{
    return static_cast<U64>(encode(double(single(a)), tensor, Ties::Away)) << 13;
}

template <bool SignedA, bool SignedB>
U64 dot4(U64 a, U64 b, U64 c)
{
    std::int64_t sum = static_cast<std::int32_t>(c);
    for (int i = 0; i < 4; ++i) {
        const auto x = static_cast<std::uint8_t>(a >> (8 * i)), y = static_cast<std::uint8_t>(b >> (8 * i));
        sum += (SignedA ? static_cast<std::int8_t>(x) : x) * (SignedB ? static_cast<std::int8_t>(y) : y);
    }
    return static_cast<U32>(sum);
}
template <bool SignedA, bool SignedB, int First>
U64 dot2(U64 a, U64 b, U64 c)
{
    std::int64_t sum = static_cast<std::int32_t>(c);
    for (int i = 0; i < 2; ++i) {
        const auto x = static_cast<std::uint16_t>(a >> (16 * i));
        const auto y = static_cast<std::uint8_t>(b >> (8 * (i + First)));
        sum += std::int64_t(SignedA ? static_cast<std::int16_t>(x) : x) *
               (SignedB ? static_cast<std::int8_t>(y) : y);
    }
    return static_cast<U32>(sum);
}
template <int Bits, bool Sum>
U64 differences(U64 a, U64 b, U64 c)
{
    U64 result = Sum ? c : 0;
    constexpr U64 keep = (U64(1) << Bits) - 1;
    for (int at = 0; at < 32; at += Bits) {
        const U64 x = (a >> at) & keep, y = (b >> at) & keep, d = x > y ? x - y : y - x;
        result += Sum ? d : d << at;
    }
    return result & 0xffffffff;
}

/// One operation under another rounding mode of the processor.
template <Op O, class F, int Mode>
F rounded(F a, F b, F c)
{
    const int before = std::fegetround();
    std::fesetround(Mode);
    volatile F x = a, y = b, z = c, result = 0;
    if constexpr (O == Op::Add)
        result = x + y;
    else if constexpr (O == Op::Sub)
        result = x - y;
    else if constexpr (O == Op::Mul)
        result = x * y;
    else if constexpr (O == Op::Div)
        result = x / y;
    else if constexpr (O == Op::Rcp)
        result = F(1) / x;
    else if constexpr (O == Op::Sqrt)
        result = std::sqrt(x);
    else
        result = std::fma(x, y, z);
    std::fesetround(before);
    return result;
}
float flushed(float value, bool ftz)
{
    return ftz && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
template <Op O, bool Double, bool Ftz, int Mode>
U64 roundedBits(U64 a, U64 b, U64 c)
{
    if constexpr (Double)
        return std::bit_cast<U64>(rounded<O, double, Mode>(std::bit_cast<double>(a), std::bit_cast<double>(b),
                                                           std::bit_cast<double>(c)));
    else
        return std::bit_cast<U32>(
            flushed(rounded<O, float, Mode>(flushed(single(a), Ftz), flushed(single(b), Ftz),
                                            flushed(single(c), Ftz)),
                    Ftz));
}
template <Op O, int Mode>
ScalarFn roundedFn(const ptx::OpcodeForm& form)
{
    if (form.type == Type::F64)
        return &roundedBits<O, true, false, Mode>;
    return form.ftz ? &roundedBits<O, false, true, Mode> : &roundedBits<O, false, false, Mode>;
}
template <Op O>
ScalarFn directedFn(const ptx::OpcodeForm& form)
{
    switch (form.rounding) {
    case Rounding::Rz:
        return roundedFn<O, FE_TOWARDZERO>(form);
    case Rounding::Rm:
        return roundedFn<O, FE_DOWNWARD>(form);
    case Rounding::Rp:
        return roundedFn<O, FE_UPWARD>(form);
    default:
        return nullptr;
    }
}

ScalarFn dotFn(const ptx::OpcodeForm& form)
{
    const bool a = form.type == Type::S32, b = form.source == Type::S32;
    switch (form.op) {
    case Op::Dp4a:
        return a ? (b ? &dot4<true, true> : &dot4<true, false>)
                 : (b ? &dot4<false, true> : &dot4<false, false>);
    case Op::Dp2aLo:
        return a ? (b ? &dot2<true, true, 0> : &dot2<true, false, 0>)
                 : (b ? &dot2<false, true, 0> : &dot2<false, false, 0>);
    default:
        return a ? (b ? &dot2<true, true, 2> : &dot2<true, false, 2>)
                 : (b ? &dot2<false, true, 2> : &dot2<false, false, 2>);
    }
}

} // namespace

double fromHalf(U32 bits)
{
    return decode(bits & 0xffff, half);
}
double fromBrain(U32 bits)
{
    return decode(bits & 0xffff, brain);
}
U32 toHalf(double value)
{
    return encode(value, half, Ties::Even);
}

ScalarFn findScalar(const ptx::OpcodeForm& form)
{
    const bool directed = form.rounding != Rounding::None && form.rounding != Rounding::Rn;
    switch (form.op) {
    case Op::Cvt:
        if (form.type == Type::F32 && form.source == Type::F16)
            return &widened;
        if (form.type == Type::TF32)
            return &toTensor;
        if (form.type == Type::F16)
            return form.rounding == Rounding::Rz ? &narrowed<false, Ties::Zero>
                                                 : &narrowed<false, Ties::Even>;
        if (form.type == Type::BF16)
            return form.rounding == Rounding::Rz ? &narrowed<true, Ties::Zero> : &narrowed<true, Ties::Even>;
        return nullptr;
    case Op::CvtPair:
        if (form.type == Type::F16x2)
            return form.rounding == Rounding::Rz ? &narrowedPair<false, Ties::Zero>
                                                 : &narrowedPair<false, Ties::Even>;
        return form.rounding == Rounding::Rz ? &narrowedPair<true, Ties::Zero>
                                             : &narrowedPair<true, Ties::Even>;
    case Op::Dp4a:
    case Op::Dp2aLo:
    case Op::Dp2aHi:
        return dotFn(form);
    case Op::AbsDiff4:
        return form.saturate ? &differences<8, true> : &differences<8, false>;
    case Op::AbsDiff2:
        return form.saturate ? &differences<16, true> : &differences<16, false>;
    case Op::Add:
        return directed ? directedFn<Op::Add>(form) : halfFn<Op::Add>(form);
    case Op::Sub:
        return directed ? directedFn<Op::Sub>(form) : halfFn<Op::Sub>(form);
    case Op::Mul:
        return directed ? directedFn<Op::Mul>(form) : halfFn<Op::Mul>(form);
    case Op::Fma:
        return directed ? directedFn<Op::Fma>(form) : halfFn<Op::Fma>(form);
    case Op::Div:
        return directedFn<Op::Div>(form);
    case Op::Rcp:
        return directedFn<Op::Rcp>(form);
    case Op::Sqrt:
        return directedFn<Op::Sqrt>(form);
    case Op::Neg:
        return halfFn<Op::Neg>(form);
    case Op::Abs:
        return halfFn<Op::Abs>(form);
    case Op::Min:
        return halfFn<Op::Min>(form);
    case Op::Max:
        return halfFn<Op::Max>(form);
    default:
        return nullptr;
    }
}

} // namespace sparserl::sim
