// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/lanes/scalar_ops.h"

#include "device/simulator/lanes/small_floats.h"

#include <bit>
#include <cfenv>
#include <cmath>

namespace sparserl::sim {

namespace {

using ptx::Rounding;
using ptx::Type;
using U64 = std::uint64_t;
using U32 = std::uint32_t;

template <bool Brain>
constexpr FloatFormat formatOf = Brain ? brainFormat : halfFormat;

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

// ---- what operations compute, by the names that ptx/opcodes.def gives them.

struct Sum
{
    template <class F>
    static F apply(F a, F b, F)
    {
        return a + b;
    }
};
struct Difference
{
    template <class F>
    static F apply(F a, F b, F)
    {
        return a - b;
    }
};
struct Product
{
    template <class F>
    static F apply(F a, F b, F)
    {
        return a * b;
    }
};
struct FusedSum
{
    template <class F>
    static F apply(F a, F b, F c)
    {
        return std::fma(a, b, c);
    }
    static double ofHalves(double a, double b, double c) { return fusedToOdd(a, b, c); }
};
struct Quotient
{
    template <class F>
    static F apply(F a, F b, F)
    {
        return a / b;
    }
};
struct Reciprocal
{
    template <class F>
    static F apply(F a, F, F)
    {
        return F(1) / a;
    }
};
struct Root
{
    template <class F>
    static F apply(F a, F, F)
    {
        return std::sqrt(a);
    }
};
/// Signs are changed in the bits.
struct Negative
{
    static U32 ofBits(U32 bits) { return (bits ^ 0x8000) & 0xffff; }
};
struct Magnitude
{
    static U32 ofBits(U32 bits) { return bits & 0x7fff; }
};
/// What both are, or the one that is a number; of two zeros the right one by its sign.
struct Least
{
    static bool first(double a, double b) { return a == b ? std::signbit(a) : a < b; }
};
struct Greatest
{
    static bool first(double a, double b) { return a == b ? !std::signbit(a) : !(a < b); }
};

// ---- half precision

template <class O, bool Brain, bool Ftz>
U32 halfOp(U64 a, U64 b, U64 c)
{
    if constexpr (requires { O::ofBits(0u); }) {
        return O::ofBits(static_cast<U32>(Ftz ? out<Brain, Ftz>(in<Brain, Ftz>(a)) : a));
    } else {
        const double x = in<Brain, Ftz>(a), y = in<Brain, Ftz>(b);
        if constexpr (requires { O::first(x, y); }) {
            if (std::isnan(x) && std::isnan(y))
                return 0x7fff;
            if (std::isnan(x) || std::isnan(y))
                return out<Brain, Ftz>(std::isnan(x) ? y : x);
            return out<Brain, Ftz>(O::first(x, y) ? x : y);
        } else if constexpr (requires { O::ofHalves(x, y, x); }) {
            return out<Brain, Ftz>(O::ofHalves(x, y, in<Brain, Ftz>(c)));
        } else {
            return out<Brain, Ftz>(O::apply(x, y, 0.0));
        }
    }
}
template <class O, bool Brain, bool Ftz, bool Pair>
U64 halfOps(U64 a, U64 b, U64 c)
{
    const U32 low = halfOp<O, Brain, Ftz>(a, b, c);
    if constexpr (!Pair)
        return low;
    else
        return low | static_cast<U64>(halfOp<O, Brain, Ftz>(a >> 16, b >> 16, c >> 16)) << 16;
}

template <class O>
ScalarFn halves(const ptx::OpcodeForm& form)
{
    switch (form.type) {
    case Type::F16:
        return form.ftz ? &halfOps<O, false, true, false> : &halfOps<O, false, false, false>;
    case Type::F16x2:
        return form.ftz ? &halfOps<O, false, true, true> : &halfOps<O, false, false, true>;
    case Type::BF16:
        return &halfOps<O, true, false, false>;
    case Type::BF16x2:
        return &halfOps<O, true, false, true>;
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
    return std::bit_cast<U32>(static_cast<float>(decode(static_cast<U32>(a & 0xffff), halfFormat)));
}
U64 toTensor(U64 a, U64, U64)
{
    return static_cast<U64>(encode(double(single(a)), tensorFormat, Ties::Away)) << 13;
}

ScalarFn widenedHalves(const ptx::OpcodeForm&)
{
    return &widened;
}
ScalarFn tensorNumbers(const ptx::OpcodeForm&)
{
    return &toTensor;
}
ScalarFn narrowedToHalves(const ptx::OpcodeForm& form)
{
    const bool down = form.rounding == Rounding::Rz;
    if (form.type == Type::F16)
        return down ? &narrowed<false, Ties::Zero> : &narrowed<false, Ties::Even>;
    return down ? &narrowed<true, Ties::Zero> : &narrowed<true, Ties::Even>;
}
ScalarFn narrowedToPairs(const ptx::OpcodeForm& form)
{
    const bool down = form.rounding == Rounding::Rz;
    if (form.type == Type::F16x2)
        return down ? &narrowedPair<false, Ties::Zero> : &narrowedPair<false, Ties::Even>;
    return down ? &narrowedPair<true, Ties::Zero> : &narrowedPair<true, Ties::Even>;
}

// ---- dot products and distances of bytes

/// Four products, or two with the first or the second half of the right side.
struct Four
{
    template <bool SignedA, bool SignedB>
    static U64 apply(U64 a, U64 b, U64 c)
    {
        std::int64_t sum = static_cast<std::int32_t>(c);
        for (int i = 0; i < 4; ++i) {
            const auto x = static_cast<std::uint8_t>(a >> (8 * i)),
                       y = static_cast<std::uint8_t>(b >> (8 * i));
            sum += (SignedA ? static_cast<std::int8_t>(x) : x) * (SignedB ? static_cast<std::int8_t>(y) : y);
        }
        return static_cast<U32>(sum);
    }
};
template <int First>
struct Two
{
    template <bool SignedA, bool SignedB>
    static U64 apply(U64 a, U64 b, U64 c)
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
};
using LowTwo = Two<0>;
using HighTwo = Two<2>;

template <class D>
ScalarFn dots(const ptx::OpcodeForm& form)
{
    const bool a = form.type == Type::S32, b = form.source == Type::S32;
    return a ? (b ? &D::template apply<true, true> : &D::template apply<true, false>)
             : (b ? &D::template apply<false, true> : &D::template apply<false, false>);
}

template <int Bits, bool Summed>
U64 differences(U64 a, U64 b, U64 c)
{
    U64 result = Summed ? c : 0;
    constexpr U64 keep = (U64(1) << Bits) - 1;
    for (int at = 0; at < 32; at += Bits) {
        const U64 x = (a >> at) & keep, y = (b >> at) & keep, d = x > y ? x - y : y - x;
        result += Summed ? d : d << at;
    }
    return result & 0xffffffff;
}

template <int Bits>
ScalarFn distances(const ptx::OpcodeForm& form)
{
    return form.saturate ? &differences<Bits, true> : &differences<Bits, false>;
}

// ---- with a direction of rounding

/// One operation under another rounding mode of the processor.
template <class O, class F, int Mode>
F rounded(F a, F b, F c)
{
    const int before = std::fegetround();
    std::fesetround(Mode);
    volatile F x = a, y = b, z = c, result = 0;
    result = O::template apply<F>(x, y, z);
    std::fesetround(before);
    return result;
}
float flushed(float value, bool ftz)
{
    return ftz && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
template <class O, bool Double, bool Ftz, int Mode>
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
template <class O, int Mode>
ScalarFn roundedFn(const ptx::OpcodeForm& form)
{
    if (form.type == Type::F64)
        return &roundedBits<O, true, false, Mode>;
    return form.ftz ? &roundedBits<O, false, true, Mode> : &roundedBits<O, false, false, Mode>;
}
template <class O>
ScalarFn directed(const ptx::OpcodeForm& form)
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

using ScalarFamily = ScalarFn (*)(const ptx::OpcodeForm&);
constexpr ScalarFamily scalarFamilies[] = {
#define OPCODE(op, action, pipe, address)
#define FORMS(op, pattern, operands, implementation) implementation
#define LANES(...) nullptr,
#define SCALAR(...) &__VA_ARGS__,
#define NONE nullptr,
#include "ptx/opcodes.def"
#undef OPCODE
#undef FORMS
#undef LANES
#undef SCALAR
#undef NONE
};

} // namespace

ScalarFn findScalar(const ptx::OpcodeForm& form)
{
    const ScalarFamily family = scalarFamilies[form.family];
    return family ? family(form) : nullptr;
}

} // namespace sparserl::sim
