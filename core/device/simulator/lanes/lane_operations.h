// SPDX-License-Identifier: Apache-2.0
// What arithmetic operations compute for one lane, under the names in ptx/opcodes.def. Included by
// lane_functions.h only.
#pragma once

#include "device/simulator/lanes/lane_scalars.h"

namespace sparserl::sim {

namespace {

template <class V>
using Unsigned = typename UnsignedOf<V>::type;

/// Marks operations that run only in the lanes of the mask: they are expensive, or may be undefined.
struct Slow
{
    static constexpr bool slow = true;
};

struct Same
{
    template <class V>
    static V apply(V a)
    {
        return a;
    }
};

// ---- sums and products

struct Sum
{
    template <class V>
    static V apply(V a, V b)
    {
        if constexpr (floating<V>)
            return a + b;
        else
            return static_cast<V>(
                static_cast<Unsigned<V>>(static_cast<Unsigned<V>>(a) + static_cast<Unsigned<V>>(b)));
    }
};
struct Difference
{
    template <class V>
    static V apply(V a, V b)
    {
        if constexpr (floating<V>)
            return a - b;
        else
            return static_cast<V>(
                static_cast<Unsigned<V>>(static_cast<Unsigned<V>>(a) - static_cast<Unsigned<V>>(b)));
    }
};
struct Product
{
    template <class V>
    static V apply(V a, V b)
    {
        if constexpr (floating<V>)
            return a * b;
        else if constexpr (sizeof(V) == 2)
            return static_cast<V>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
        else
            return static_cast<V>(static_cast<Unsigned<V>>(a) * static_cast<Unsigned<V>>(b));
    }
};
struct HighProduct
{
    template <class V>
    static V apply(V a, V b)
    {
        return multiplyHigh(a, b);
    }
};
/// The product of the low 24 bits of both sources.
struct Product24
{
    template <class V>
    static V apply(V a, V b)
    {
        if constexpr (signedValue<V>) {
            const std::int64_t x = static_cast<std::int32_t>(static_cast<Unsigned<V>>(a) << 8) >> 8;
            const std::int64_t y = static_cast<std::int32_t>(static_cast<Unsigned<V>>(b) << 8) >> 8;
            return static_cast<V>(x * y);
        } else {
            return static_cast<V>(static_cast<std::uint64_t>(a & 0xffffffu) * (b & 0xffffffu));
        }
    }
};
struct ProductSum
{
    template <class V>
    static V apply(V a, V b, V c)
    {
        if constexpr (sizeof(V) == 2)
            return static_cast<V>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b) +
                                  static_cast<std::uint32_t>(c));
        else
            return static_cast<V>(static_cast<Unsigned<V>>(a) * static_cast<Unsigned<V>>(b) +
                                  static_cast<Unsigned<V>>(c));
    }
};
struct HighProductSum
{
    template <class V>
    static V apply(V a, V b, V c)
    {
        return static_cast<V>(static_cast<Unsigned<V>>(multiplyHigh(a, b)) + static_cast<Unsigned<V>>(c));
    }
};
struct FusedSum
{
    static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
    static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
/// |a - b| + c
struct DistanceSum
{
    template <class V>
    static V apply(V a, V b, V c)
    {
        return static_cast<V>(static_cast<Unsigned<V>>(c) +
                              (a < b ? static_cast<Unsigned<V>>(b) - static_cast<Unsigned<V>>(a)
                                     : static_cast<Unsigned<V>>(a) - static_cast<Unsigned<V>>(b)));
    }
};

// ---- quotients and roots

struct Quotient : Slow
{
    template <class V>
    static V apply(V a, V b)
    {
        if constexpr (floating<V>)
            return a / b;
        else
            return divide(a, b);
    }
};
struct PlainQuotient
{
    template <class V>
    static V apply(V a, V b)
    {
        return a / b;
    }
};
struct Remainder : Slow
{
    template <class V>
    static V apply(V a, V b)
    {
        return remainder(a, b);
    }
};
struct Reciprocal
{
    template <class V>
    static V apply(V a)
    {
        return V(1) / a;
    }
};
struct Root
{
    static float apply(float a) { return __builtin_sqrtf(a); }
    static double apply(double a) { return __builtin_sqrt(a); }
};
struct ReciprocalRoot
{
    template <class V>
    static V apply(V a)
    {
        return static_cast<V>(1.0 / __builtin_sqrt(static_cast<double>(a)));
    }
};

/// Rounds a double to a number whose lowest `Bits` bits are 0. Does not change infinities and NaN.
template <int Bits>
double rounded(double value)
{
    constexpr std::uint64_t one = 1;
    const auto bits = __builtin_bit_cast(std::uint64_t, value);
    const double result = __builtin_bit_cast(double, (bits + (one << (Bits - 1))) & ~((one << Bits) - 1));
    return __builtin_fabs(value) <= __DBL_MAX__ ? result : value;
}
inline double withoutSubnormals(double value)
{
    return __builtin_fabs(value) < __DBL_MIN__ ? __builtin_copysign(0.0, value) : value;
}
/// A double-precision approximation as computed by instructions with .ftz: it uses the upper word of the
/// operand, and the lower word of the result is 0 (PTX ISA, rcp.approx.ftz.f64). Subnormal numbers count as
/// zeros.
template <class F>
struct UpperWord
{
    static double apply(double a)
    {
        const double upper =
            __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, a) & 0xffffffff00000000u);
        return withoutSubnormals(rounded<32>(F::apply(a != a ? a : withoutSubnormals(upper))));
    }
};
/// An approximation without .ftz, which is accurate to about 2^-31.
template <class F>
struct Emulated
{
    static double apply(double a) { return rounded<20>(F::apply(a)); }
};

// Transcendental functions are computed in double and rounded once, so they do not depend on the float
// versions in the C library.

struct PowerOfTwo : Slow
{
    static float apply(float a) { return static_cast<float>(__builtin_exp2(static_cast<double>(a))); }
};
struct BinaryLogarithm : Slow
{
    static float apply(float a) { return static_cast<float>(__builtin_log2(static_cast<double>(a))); }
};
struct Sine : Slow
{
    static float apply(float a) { return static_cast<float>(__builtin_sin(static_cast<double>(a))); }
};
struct Cosine : Slow
{
    static float apply(float a) { return static_cast<float>(__builtin_cos(static_cast<double>(a))); }
};
struct HyperbolicTangent : Slow
{
    static float apply(float a) { return static_cast<float>(__builtin_tanh(static_cast<double>(a))); }
};

// ---- signs and order

struct Magnitude
{
    template <class V>
    static V apply(V a)
    {
        if constexpr (sizeof(V) == 4 && floating<V>)
            return __builtin_fabsf(a);
        else if constexpr (floating<V>)
            return __builtin_fabs(a);
        else
            return a < 0 ? static_cast<V>(0 - static_cast<Unsigned<V>>(a)) : a;
    }
};
struct Negative
{
    template <class V>
    static V apply(V a)
    {
        if constexpr (floating<V>)
            return -a;
        else
            return static_cast<V>(0 - static_cast<Unsigned<V>>(a));
    }
};
/// PTX's copysign: the result has the sign of the first operand and the magnitude of the second.
struct SignOf
{
    static float apply(float a, float b) { return __builtin_copysignf(b, a); }
    static double apply(double a, double b) { return __builtin_copysign(b, a); }
};
struct Least
{
    template <class V>
    static V apply(V a, V b)
    {
        if constexpr (floating<V>)
            return floatMinMax(a, b, false, false);
        else
            return a < b ? a : b;
    }
};
struct Greatest
{
    template <class V>
    static V apply(V a, V b)
    {
        if constexpr (floating<V>)
            return floatMinMax(a, b, true, false);
        else
            return a > b ? a : b;
    }
};
struct LeastOrNaN
{
    static float apply(float a, float b) { return floatMinMax(a, b, false, true); }
};
struct GreatestOrNaN
{
    static float apply(float a, float b) { return floatMinMax(a, b, true, true); }
};

// ---- bits

struct Both
{
    template <class V>
    static V apply(V a, V b)
    {
        return static_cast<V>(a & b);
    }
};
struct Either
{
    template <class V>
    static V apply(V a, V b)
    {
        return static_cast<V>(a | b);
    }
};
struct OneOf
{
    template <class V>
    static V apply(V a, V b)
    {
        return static_cast<V>(a ^ b);
    }
};
struct Inverse
{
    template <class V>
    static V apply(V a)
    {
        return static_cast<V>(~a);
    }
};
struct Reversed
{
    template <class V>
    static V apply(V a)
    {
        return reverseBits(a);
    }
};

// ---- bits to a number of 32 bits

struct Ones
{
    template <class V>
    static std::uint32_t apply(V a)
    {
        return static_cast<std::uint32_t>(__builtin_popcountll(static_cast<std::uint64_t>(a)));
    }
};
struct LeadingZeros
{
    template <class V>
    static std::uint32_t apply(V a)
    {
        return static_cast<std::uint32_t>(leadingZeros(a));
    }
};
struct LeadingBit
{
    template <class V>
    static std::uint32_t apply(V a)
    {
        return findLeading(a, false);
    }
};
struct LeadingBitShift
{
    template <class V>
    static std::uint32_t apply(V a)
    {
        return findLeading(a, true);
    }
};

// ---- with the carry flag

template <bool Subtract, bool In, bool Out>
struct WithCarry
{
    static constexpr bool subtract = Subtract, in = In, out = Out;
};
using CarryOut = WithCarry<false, false, true>;
using CarryIn = WithCarry<false, true, false>;
using CarryInOut = WithCarry<false, true, true>;
using BorrowOut = WithCarry<true, false, true>;
using BorrowIn = WithCarry<true, true, false>;
using BorrowInOut = WithCarry<true, true, true>;

/// Adds half of a product (its low or high word) and a third source.
template <class Half, bool In, bool Out>
struct ProductWithCarry : WithCarry<false, In, Out>
{
    template <class V>
    static V product(V a, V b)
    {
        return Half::apply(a, b);
    }
};
using LowProductOut = ProductWithCarry<Product, false, true>;
using LowProductIn = ProductWithCarry<Product, true, false>;
using LowProductInOut = ProductWithCarry<Product, true, true>;
using HighProductOut = ProductWithCarry<HighProduct, false, true>;
using HighProductIn = ProductWithCarry<HighProduct, true, false>;
using HighProductInOut = ProductWithCarry<HighProduct, true, true>;

} // namespace

} // namespace sparserl::sim
