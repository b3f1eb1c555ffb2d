// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/lanes/scalar_ops.h"

#include "device/simulator/lanes/comparison.h"
#include "device/simulator/lanes/small_floats.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <utility>

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
struct HyperbolicTangent
{
    static double apply(double a, double, double) { return std::tanh(a); }
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
struct LeastOrNaN : Least
{
    static constexpr bool needsBoth = true;
};
struct GreatestOrNaN : Greatest
{
    static constexpr bool needsBoth = true;
};

// ---- half precision

/// What a result is cut off to: .sat and .relu.
enum class Range
{
    All,
    Unit,
    Positive
};
constexpr U32 halfNaN = 0x7fff;

/// NaN becomes 0 within [0, 1], and -0 becomes +0 in both; as an H100 has it.
template <bool Brain, Range R>
U32 limited(U32 bits)
{
    if constexpr (R == Range::All)
        return bits;
    const bool nan = (bits & 0x7fff) > (Brain ? 0x7f80 : 0x7c00);
    if (nan)
        return R == Range::Unit ? 0 : halfNaN;
    const U32 one = Brain ? 0x3f80 : 0x3c00;
    return bits & 0x8000 ? 0 : R == Range::Unit && bits > one ? one : bits;
}

/// A NaN whose sign is changed: as an H100 has it, only a single bf16 keeps its bits.
template <class O, bool Brain, bool Ftz, bool Pair>
U32 halfOp(U64 a, U64 b, U64 c)
{
    if constexpr (requires { O::ofBits(0u); }) {
        const U32 bits = static_cast<U32>(Ftz ? out<Brain, Ftz>(in<Brain, Ftz>(a)) : a) & 0xffff;
        const bool keeps = Brain && !Pair;
        return !keeps && (bits & 0x7fff) > (Brain ? 0x7f80 : 0x7c00) ? halfNaN : O::ofBits(bits);
    } else {
        const double x = in<Brain, Ftz>(a), y = in<Brain, Ftz>(b);
        if constexpr (requires { O::first(x, y); }) {
            if (std::isnan(x) || std::isnan(y)) {
                if (requires { O::needsBoth; } || (std::isnan(x) && std::isnan(y)))
                    return halfNaN;
                return out<Brain, Ftz>(std::isnan(x) ? y : x);
            }
            return out<Brain, Ftz>(O::first(x, y) ? x : y);
        } else if constexpr (requires { O::ofHalves(x, y, x); }) {
            return out<Brain, Ftz>(O::ofHalves(x, y, in<Brain, Ftz>(c)));
        } else {
            return out<Brain, Ftz>(O::apply(x, y, 0.0));
        }
    }
}
template <class O, bool Brain, bool Ftz, Range R, bool Pair>
U64 halfOps(U64 a, U64 b, U64 c)
{
    const U32 low = limited<Brain, R>(halfOp<O, Brain, Ftz, Pair>(a, b, c));
    if constexpr (!Pair)
        return low;
    else
        return low |
               static_cast<U64>(limited<Brain, R>(halfOp<O, Brain, Ftz, Pair>(a >> 16, b >> 16, c >> 16)))
                   << 16;
}

template <class O, bool Brain, bool Ftz, bool Pair>
ScalarFn halvesWithin(const ptx::OpcodeForm& form)
{
    return form.saturate ? &halfOps<O, Brain, Ftz, Range::Unit, Pair>
           : form.relu   ? &halfOps<O, Brain, Ftz, Range::Positive, Pair>
                         : &halfOps<O, Brain, Ftz, Range::All, Pair>;
}
template <class O>
ScalarFn halves(const ptx::OpcodeForm& form)
{
    switch (form.type) {
    case Type::F16:
        return form.ftz ? halvesWithin<O, false, true, false>(form)
                        : halvesWithin<O, false, false, false>(form);
    case Type::F16x2:
        return form.ftz ? halvesWithin<O, false, true, true>(form)
                        : halvesWithin<O, false, false, true>(form);
    case Type::BF16:
        return halvesWithin<O, true, false, false>(form);
    case Type::BF16x2:
        return halvesWithin<O, true, false, true>(form);
    default:
        return nullptr;
    }
}

/// All ones, or 1.0, in each half where the halves compare so.
template <int C, U32 Yes>
U64 comparedPair(U64 a, U64 b, U64)
{
    const auto one = [&](int shift) -> U32 {
        const double x = in<false, false>(a >> shift), y = in<false, false>(b >> shift);
        return compare<static_cast<ptx::Cmp>(C)>(x, y) ? Yes << shift : 0;
    };
    return one(0) | one(16);
}
template <U32 Yes, int... C>
ScalarFn comparedPairBy(ptx::Cmp cmp, std::integer_sequence<int, C...>)
{
    constexpr ScalarFn functions[] = {&comparedPair<C, Yes>...};
    return functions[static_cast<std::size_t>(cmp)];
}
ScalarFn comparedPairs(const ptx::OpcodeForm& form)
{
    constexpr std::make_integer_sequence<int, static_cast<int>(ptx::Cmp::Nan) + 1> all;
    return form.type == Type::F16x2 ? comparedPairBy<0x3c00>(form.cmp, all)
                                    : comparedPairBy<0xffff>(form.cmp, all);
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
template <Ties T>
U64 narrowedDouble(U64 a, U64, U64)
{
    return encode(std::bit_cast<double>(a), halfFormat, T);
}
/// What does not fit into a double is too large for a half anyway.
template <class V, Ties T>
U64 ofInteger(U64 a, U64, U64)
{
    return encode(static_cast<double>(static_cast<V>(a)), halfFormat, T);
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
    if ((a & 0x7fff) > 0x7c00)
        return 0x7fffffff;
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
template <template <Ties> class F>
ScalarFn byRounding(Rounding rounding)
{
    switch (rounding) {
    case Rounding::Rz:
        return F<Ties::Zero>::function;
    case Rounding::Rm:
        return F<Ties::Down>::function;
    case Rounding::Rp:
        return F<Ties::Up>::function;
    default:
        return F<Ties::Even>::function;
    }
}
template <Ties T>
struct NarrowedSingle
{
    static constexpr ScalarFn function = &narrowed<false, T>;
};
template <Ties T>
struct NarrowedDouble
{
    static constexpr ScalarFn function = &narrowedDouble<T>;
};
template <class V>
struct OfInteger
{
    template <Ties T>
    struct Rounded
    {
        static constexpr ScalarFn function = &ofInteger<V, T>;
    };
};
ScalarFn narrowedToHalves(const ptx::OpcodeForm& form)
{
    if (form.type == Type::BF16)
        return form.rounding == Rounding::Rz ? &narrowed<true, Ties::Zero> : &narrowed<true, Ties::Even>;
    return form.source == Type::F64 ? byRounding<NarrowedDouble>(form.rounding)
                                    : byRounding<NarrowedSingle>(form.rounding);
}
ScalarFn integersToHalves(const ptx::OpcodeForm& form)
{
    switch (form.source) {
    case Type::U8:
        return byRounding<OfInteger<std::uint8_t>::Rounded>(form.rounding);
    case Type::S8:
        return byRounding<OfInteger<std::int8_t>::Rounded>(form.rounding);
    case Type::U16:
        return byRounding<OfInteger<std::uint16_t>::Rounded>(form.rounding);
    case Type::S16:
        return byRounding<OfInteger<std::int16_t>::Rounded>(form.rounding);
    case Type::U32:
        return byRounding<OfInteger<std::uint32_t>::Rounded>(form.rounding);
    case Type::S32:
        return byRounding<OfInteger<std::int32_t>::Rounded>(form.rounding);
    case Type::U64:
        return byRounding<OfInteger<std::uint64_t>::Rounded>(form.rounding);
    default:
        return byRounding<OfInteger<std::int64_t>::Rounded>(form.rounding);
    }
}
/// To whole numbers that are halves again.
template <double (*Whole)(double)>
U64 wholeHalf(U64 a, U64, U64)
{
    return encode(Whole(in<false, false>(a)), halfFormat, Ties::Even);
}
ScalarFn roundedHalves(const ptx::OpcodeForm& form)
{
    switch (form.rounding) {
    case Rounding::Rzi:
        return &wholeHalf<&std::trunc>;
    case Rounding::Rmi:
        return &wholeHalf<&std::floor>;
    case Rounding::Rpi:
        return &wholeHalf<&std::ceil>;
    default:
        return &wholeHalf<&std::nearbyint>;
    }
}
ScalarFn narrowedToPairs(const ptx::OpcodeForm& form)
{
    const bool down = form.rounding == Rounding::Rz;
    if (form.type == Type::F16x2)
        return down ? &narrowedPair<false, Ties::Zero> : &narrowedPair<false, Ties::Even>;
    return down ? &narrowedPair<true, Ties::Zero> : &narrowedPair<true, Ties::Even>;
}

// ---- bits

/// The position of the c-th bit that is set in a, from position b on; c = 0 asks for that bit itself.
U64 countedBit(U64 a, U64 b, U64 c)
{
    const auto mask = static_cast<U32>(a);
    const auto steps = static_cast<std::int32_t>(c);
    const auto from = static_cast<U32>(b);
    constexpr U64 none = 0xffffffff;
    if (from > 31)
        return none;
    const int step = steps < 0 ? -1 : 1;
    std::int64_t left = steps == 0 ? 0 : std::abs(std::int64_t(steps)) - 1;
    for (int at = static_cast<int>(from); at >= 0 && at < 32; at += step) {
        if (((mask >> at) & 1) && left-- == 0)
            return static_cast<U64>(at);
        if (steps == 0)
            break;
    }
    return none;
}
ScalarFn countedBits(const ptx::OpcodeForm&)
{
    return &countedBit;
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
