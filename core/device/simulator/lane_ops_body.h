// SPDX-License-Identifier: Apache-2.0
// Body of lane_ops_{baseline,avx2,avx512}.cpp: everything is in an anonymous namespace, see lane_ops.h.
#include "device/simulator/lane_ops.h"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace sparserl::sim {

namespace {

using ptx::Cmp;
using ptx::Op;
using ptx::Rounding;
using ptx::Type;

// These files are compiled with -fno-strict-aliasing: registers are bytes that hold what the instruction
// says.
using U32a = std::uint32_t;
using U64a = std::uint64_t;
__extension__ typedef __int128 I128;
__extension__ typedef unsigned __int128 U128;

// ---- values of a type, kept in u32 or u64 lanes

template <Type T>
struct Lane;
template <class V, class S>
struct IntegerLane
{
    using Value = V;
    using Store = S;
    static Value get(S bits) { return static_cast<V>(bits); }
    static S put(V value)
    {
        if constexpr (sizeof(V) == 1) // 8-bit results are extended to the 16 bits of the register
            return static_cast<std::uint16_t>(static_cast<std::int16_t>(value));
        else if constexpr (sizeof(V) == 2)
            return static_cast<std::uint16_t>(value);
        else
            return static_cast<S>(value);
    }
};
template <>
struct Lane<Type::U8> : IntegerLane<std::uint8_t, U32a>
{
};
template <>
struct Lane<Type::S8> : IntegerLane<std::int8_t, U32a>
{
};
template <>
struct Lane<Type::U16> : IntegerLane<std::uint16_t, U32a>
{
};
template <>
struct Lane<Type::S16> : IntegerLane<std::int16_t, U32a>
{
};
template <>
struct Lane<Type::U32> : IntegerLane<std::uint32_t, U32a>
{
};
template <>
struct Lane<Type::S32> : IntegerLane<std::int32_t, U32a>
{
};
template <>
struct Lane<Type::U64> : IntegerLane<std::uint64_t, U64a>
{
};
template <>
struct Lane<Type::S64> : IntegerLane<std::int64_t, U64a>
{
};
template <>
struct Lane<Type::F32>
{
    using Value = float;
    using Store = U32a;
    static float get(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
    static std::uint32_t put(float value) { return __builtin_bit_cast(std::uint32_t, value); }
};
template <>
struct Lane<Type::F64>
{
    using Value = double;
    using Store = U64a;
    static double get(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }
    static std::uint64_t put(double value) { return __builtin_bit_cast(std::uint64_t, value); }
};

template <class V>
struct UnsignedOf
{
    using type = V;
};
template <>
struct UnsignedOf<std::int8_t>
{
    using type = std::uint8_t;
};
template <>
struct UnsignedOf<std::int16_t>
{
    using type = std::uint16_t;
};
template <>
struct UnsignedOf<std::int32_t>
{
    using type = std::uint32_t;
};
template <>
struct UnsignedOf<std::int64_t>
{
    using type = std::uint64_t;
};
template <class V>
constexpr bool signedValue = static_cast<V>(-1) < static_cast<V>(0);
template <class V>
constexpr bool floating = false;
template <>
constexpr bool floating<float> = true;
template <>
constexpr bool floating<double> = true;
template <class V>
constexpr V lowest()
{
    if constexpr (signedValue<V>)
        return static_cast<V>(std::uint64_t(1) << (8 * sizeof(V) - 1));
    else
        return 0;
}
template <class V>
constexpr V highest()
{
    return static_cast<V>(~lowest<V>());
}

inline float flush(float value)
{
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
    return (bits & 0x7f800000u) == 0 ? __builtin_bit_cast(float, bits & 0x80000000u) : value;
}
inline double flush(double value)
{
    return value;
}

// ---- loops over lanes

template <bool Full, class S, class F>
inline __attribute__((always_inline)) void forLanes(S* d, std::uint32_t mask, F f)
{
#pragma GCC ivdep
    for (int l = 0; l < lanesPerWarp; ++l) {
        const S r = static_cast<S>(f(l));
        if constexpr (Full)
            d[l] = r;
        else
            d[l] = (mask >> l) & 1u ? r : d[l];
    }
}
/// The same for what is expensive or may trap: lanes outside the mask are not computed.
template <bool Full, class S, class F>
inline __attribute__((always_inline)) void forActiveLanes(S* d, std::uint32_t mask, F f)
{
    for (int l = 0; l < lanesPerWarp; ++l) {
        if (Full || ((mask >> l) & 1u))
            d[l] = static_cast<S>(f(l));
    }
}
template <class F>
inline __attribute__((always_inline)) std::uint32_t bitsOf(F f)
{
    std::uint32_t bits = 0;
#pragma GCC ivdep
    for (int l = 0; l < lanesPerWarp; ++l)
        bits |= (f(l) ? 1u : 0u) << l;
    return bits;
}

template <class S>
inline S* at(std::byte* r, std::uint32_t offset)
{
    return reinterpret_cast<S*>(r + offset);
}
inline std::uint32_t readPredicate(std::byte* r, std::uint32_t offset, bool negated)
{
    const std::uint32_t value = *at<U32a>(r, offset);
    return negated ? ~value : value;
}
inline void writePredicate(std::byte* r, std::uint32_t offset, std::uint32_t bits, std::uint32_t mask)
{
    U32a* p = at<U32a>(r, offset);
    *p = (*p & ~mask) | (bits & mask);
}

// ---- scalar meaning of operations

/// Rounds a double sum with its exact remainder to a float in a direction.
inline float directed(double sum, double rest, Rounding rounding)
{
    float r = static_cast<float>(sum);
    if (r != r || sum - sum != 0)
        return r;
    // The exact value is sum + rest; the wanted float is the nearest one on the right side of it.
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
inline float directedFma(float a, float b, float c, Rounding rounding)
{
    const double product = static_cast<double>(a) * static_cast<double>(b); // exact: 48 bits
    const double sum = product + static_cast<double>(c);
    const double virtualC = sum - product;
    const double rest = (product - (sum - virtualC)) + (static_cast<double>(c) - virtualC);
    const float r = directed(sum, rest == rest ? rest : 0, rounding);
    if (r == 0 && sum == 0 && rest == 0 && rounding == Rounding::Rm && product != 0)
        return -0.0f; // x - x is -0 when rounding down
    return r;
}

template <class V>
inline V divide(V a, V b)
{
    if (b == 0)
        return static_cast<V>(~V(0)); // what the hardware's sequence leaves
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
    // Bits of the source end at `top`, the field at `length`; above the smaller of both comes the sign.
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
    // Not the library's rounding mode: half to even spelled out.
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
    // Compare exactly in 128 bits and step to the other side where needed.
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
template <Cmp C, class V>
inline bool compare(V a, V b)
{
    const bool unordered = floating<V> && (a != a || b != b);
    switch (C) {
    case Cmp::Eq:
        return a == b;
    case Cmp::Ne:
        return !unordered && a != b;
    case Cmp::Lt:
        return a < b;
    case Cmp::Le:
        return a <= b;
    case Cmp::Gt:
        return a > b;
    case Cmp::Ge:
        return a >= b;
    case Cmp::Equ:
        return unordered || a == b;
    case Cmp::Neu:
        return unordered || a != b;
    case Cmp::Ltu:
        return unordered || a < b;
    case Cmp::Leu:
        return unordered || a <= b;
    case Cmp::Gtu:
        return unordered || a > b;
    case Cmp::Geu:
        return unordered || a >= b;
    case Cmp::Num:
        return !unordered;
    case Cmp::Nan:
        return unordered;
    case Cmp::None:
        break;
    }
    return false;
}

// ---- operations on lanes

/// Binary and unary arithmetic of one type.
template <Op O, Type T, bool Ftz>
struct Arithmetic
{
    using L = Lane<T>;
    using V = typename L::Value;
    using U = typename UnsignedOf<V>::type;
    static constexpr bool unary =
        O == Op::Abs || O == Op::Neg || O == Op::Not || O == Op::Brev || O == Op::Rcp || O == Op::Sqrt ||
        O == Op::RcpApprox || O == Op::SqrtApprox || O == Op::RsqrtApprox || O == Op::Ex2 || O == Op::Lg2 ||
        O == Op::Sin || O == Op::Cos || O == Op::Tanh || O == Op::Mov;
    static constexpr bool ternary = O == Op::Mad || O == Op::MadHi || O == Op::Fma || O == Op::Sad;
    static constexpr bool slow = O == Op::Div || O == Op::Rem || O == Op::Ex2 || O == Op::Lg2 ||
                                 O == Op::Sin || O == Op::Cos || O == Op::Tanh;

    static V in(V v)
    {
        if constexpr (Ftz && floating<V>)
            return flush(v);
        else
            return v;
    }
    static V apply([[maybe_unused]] V a, [[maybe_unused]] V b, [[maybe_unused]] V c)
    {
        if constexpr (O == Op::Mov)
            return a;
        else if constexpr (O == Op::Add) {
            if constexpr (floating<V>)
                return a + b;
            else
                return static_cast<V>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
        } else if constexpr (O == Op::Sub) {
            if constexpr (floating<V>)
                return a - b;
            else
                return static_cast<V>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
        } else if constexpr (O == Op::Mul) {
            if constexpr (floating<V>)
                return a * b;
            else if constexpr (sizeof(V) == 2)
                return static_cast<V>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
            else
                return static_cast<V>(static_cast<U>(a) * static_cast<U>(b));
        } else if constexpr (O == Op::Mul24) {
            if constexpr (signedValue<V>) {
                const std::int64_t x = static_cast<std::int32_t>(static_cast<U>(a) << 8) >> 8;
                const std::int64_t y = static_cast<std::int32_t>(static_cast<U>(b) << 8) >> 8;
                return static_cast<V>(x * y);
            } else
                return static_cast<V>(static_cast<std::uint64_t>(a & 0xffffffu) * (b & 0xffffffu));
        } else if constexpr (O == Op::Mad) {
            if constexpr (sizeof(V) == 2)
                return static_cast<V>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b) +
                                      static_cast<std::uint32_t>(c));
            else
                return static_cast<V>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(c));
        } else if constexpr (O == Op::MulHi)
            return multiplyHigh(a, b);
        else if constexpr (O == Op::MadHi)
            return static_cast<V>(static_cast<U>(multiplyHigh(a, b)) + static_cast<U>(c));
        else if constexpr (O == Op::Fma) {
            if constexpr (sizeof(V) == 4)
                return __builtin_fmaf(a, b, c);
            else
                return __builtin_fma(a, b, c);
        } else if constexpr (O == Op::Div) {
            if constexpr (floating<V>)
                return a / b;
            else
                return divide(a, b);
        } else if constexpr (O == Op::DivApprox || O == Op::DivFull)
            return a / b;
        else if constexpr (O == Op::Rem)
            return remainder(a, b);
        else if constexpr (O == Op::Abs) {
            if constexpr (sizeof(V) == 4 && floating<V>)
                return __builtin_fabsf(a);
            else if constexpr (floating<V>)
                return __builtin_fabs(a);
            else
                return a < 0 ? static_cast<V>(0 - static_cast<U>(a)) : a;
        } else if constexpr (O == Op::Neg) {
            if constexpr (floating<V>)
                return -a;
            else
                return static_cast<V>(0 - static_cast<U>(a));
        } else if constexpr (O == Op::Min) {
            if constexpr (floating<V>)
                return floatMinMax(a, b, false, false);
            else
                return a < b ? a : b;
        } else if constexpr (O == Op::Max) {
            if constexpr (floating<V>)
                return floatMinMax(a, b, true, false);
            else
                return a > b ? a : b;
        } else if constexpr (O == Op::MinNaN)
            return floatMinMax(a, b, false, true);
        else if constexpr (O == Op::MaxNaN)
            return floatMinMax(a, b, true, true);
        else if constexpr (O == Op::And)
            return static_cast<V>(a & b);
        else if constexpr (O == Op::Or)
            return static_cast<V>(a | b);
        else if constexpr (O == Op::Xor)
            return static_cast<V>(a ^ b);
        else if constexpr (O == Op::Not)
            return static_cast<V>(~a);
        else if constexpr (O == Op::Brev)
            return reverseBits(a);
        else if constexpr (O == Op::Sad)
            return static_cast<V>(static_cast<U>(c) + (a < b ? static_cast<U>(b) - static_cast<U>(a)
                                                             : static_cast<U>(a) - static_cast<U>(b)));
        else if constexpr (O == Op::Rcp || O == Op::RcpApprox)
            return V(1) / a;
        else if constexpr (O == Op::Sqrt || O == Op::SqrtApprox) {
            if constexpr (sizeof(V) == 4)
                return __builtin_sqrtf(a);
            else
                return __builtin_sqrt(a);
        } else if constexpr (O == Op::RsqrtApprox)
            return static_cast<V>(1.0 / __builtin_sqrt(static_cast<double>(a)));
        // In double and rounded once: the same numbers whatever the C library's float versions do.
        else if constexpr (O == Op::Ex2)
            return static_cast<V>(__builtin_exp2(static_cast<double>(a)));
        else if constexpr (O == Op::Lg2)
            return static_cast<V>(__builtin_log2(static_cast<double>(a)));
        else if constexpr (O == Op::Sin)
            return static_cast<V>(__builtin_sin(static_cast<double>(a)));
        else if constexpr (O == Op::Cos)
            return static_cast<V>(__builtin_cos(static_cast<double>(a)));
        else if constexpr (O == Op::Tanh)
            return static_cast<V>(__builtin_tanh(static_cast<double>(a)));
        else if constexpr (O == Op::Copysign) {
            // PTX: the sign of the first operand, the magnitude of the second.
            if constexpr (sizeof(V) == 4)
                return __builtin_copysignf(b, a);
            else
                return __builtin_copysign(b, a);
        }
    }
    template <bool Full>
    static void run(std::byte* r, const LaneArgs& g, std::uint32_t mask)
    {
        using S = typename L::Store;
        S* d = at<S>(r, g.d);
        const S* a = at<S>(r, g.a);
        [[maybe_unused]] const S* b = unary ? a : at<S>(r, g.b);
        [[maybe_unused]] const S* c = ternary ? at<S>(r, g.c) : a;
        auto f = [=](int l) {
            return L::put(in(apply(in(L::get(a[l])), in(L::get(b[l])), in(L::get(c[l])))));
        };
        if constexpr (slow)
            forActiveLanes<Full>(d, mask, f);
        else
            forLanes<Full>(d, mask, f);
    }
};
template <Op O, Type T, bool Ftz = false>
LaneFns arithmetic()
{
    return {&Arithmetic<O, T, Ftz>::template run<true>, &Arithmetic<O, T, Ftz>::template run<false>};
}

/// fma, add, sub and mul of f32 with a direction of rounding; `e` chooses which.
template <Op O, Rounding R, bool Ftz>
struct Directed
{
    template <bool Full>
    static void run(std::byte* r, const LaneArgs& g, std::uint32_t mask)
    {
        using L = Lane<Type::F32>;
        U32a* d = at<U32a>(r, g.d);
        const U32a* a = at<U32a>(r, g.a);
        const U32a* b = at<U32a>(r, g.b);
        const U32a* c = O == Op::Fma ? at<U32a>(r, g.c) : a;
        auto in = [](float v) { return Ftz ? flush(v) : v; };
        forActiveLanes<Full>(d, mask, [=](int l) {
            const float x = in(L::get(a[l])), y = in(L::get(b[l]));
            float v;
            if constexpr (O == Op::Fma)
                v = directedFma(x, y, in(L::get(c[l])), R);
            else if constexpr (O == Op::Mul)
                v = directed(static_cast<double>(x) * static_cast<double>(y), 0, R);
            else
                v = directedFma(x, 1.0f, O == Op::Sub ? -y : y, R);
            return L::put(in(v));
        });
    }
};
template <Op O, Rounding R>
LaneFns directedFns(bool ftz)
{
    if (ftz)
        return {&Directed<O, R, true>::template run<true>, &Directed<O, R, true>::template run<false>};
    return {&Directed<O, R, false>::template run<true>, &Directed<O, R, false>::template run<false>};
}

template <Type From, Type To, bool Accumulate>
struct Widening
{
    template <bool Full>
    static void run(std::byte* r, const LaneArgs& g, std::uint32_t mask)
    {
        using A = Lane<From>;
        using D = Lane<To>;
        using U = typename UnsignedOf<typename D::Value>::type;
        auto* d = at<typename D::Store>(r, g.d);
        const auto* a = at<typename A::Store>(r, g.a);
        const auto* b = at<typename A::Store>(r, g.b);
        [[maybe_unused]] const auto* c = Accumulate ? at<typename D::Store>(r, g.c) : nullptr;
        forLanes<Full>(d, mask, [=](int l) {
            using V = typename D::Value;
            U product =
                static_cast<U>(static_cast<V>(A::get(a[l]))) * static_cast<U>(static_cast<V>(A::get(b[l])));
            if constexpr (Accumulate)
                product += static_cast<U>(D::get(c[l]));
            return D::put(static_cast<V>(product));
        });
    }
};
template <Type From, Type To, bool Accumulate>
LaneFns widening()
{
    return {&Widening<From, To, Accumulate>::template run<true>,
            &Widening<From, To, Accumulate>::template run<false>};
}

template <Type T, bool Left, bool Full>
void shiftLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    using L = Lane<T>;
    using V = typename L::Value;
    auto* d = at<typename L::Store>(r, g.d);
    const auto* a = at<typename L::Store>(r, g.a);
    const U32a* b = at<U32a>(r, g.b);
    constexpr std::uint32_t width = 8 * sizeof(V);
    forLanes<Full>(d, mask, [=](int l) {
        const V v = L::get(a[l]);
        const std::uint32_t n = b[l];
        const std::uint32_t clamped = n < width ? n : width - 1;
        if constexpr (Left) {
            using U = typename UnsignedOf<V>::type;
            const U shifted = static_cast<U>(static_cast<std::uint64_t>(static_cast<U>(v)) << clamped);
            return L::put(static_cast<V>(n < width ? shifted : U(0)));
        } else if constexpr (signedValue<V>) {
            return L::put(static_cast<V>(v >> clamped));
        } else {
            const V shifted = static_cast<V>(v >> clamped);
            return L::put(n < width ? shifted : V(0));
        }
    });
}
template <Type T, bool Left>
LaneFns shift()
{
    return {&shiftLanes<T, Left, true>, &shiftLanes<T, Left, false>};
}

template <Op O, bool Full>
void funnel(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    U32a* d = at<U32a>(r, g.d);
    const U32a *a = at<U32a>(r, g.a), *b = at<U32a>(r, g.b), *c = at<U32a>(r, g.c);
    constexpr bool left = O == Op::ShfLeftWrap || O == Op::ShfLeftClamp;
    constexpr bool wrap = O == Op::ShfLeftWrap || O == Op::ShfRightWrap;
    forLanes<Full>(d, mask, [=](int l) {
        const std::uint32_t n = wrap ? c[l] & 31u : (c[l] < 32u ? c[l] : 32u);
        const std::uint64_t both = (static_cast<std::uint64_t>(b[l]) << 32) | a[l];
        return left ? static_cast<std::uint32_t>((both << n) >> 32) : static_cast<std::uint32_t>(both >> n);
    });
}
template <Op O>
LaneFns funnelFns()
{
    return {&funnel<O, true>, &funnel<O, false>};
}

template <Op O, Type T, bool Full>
void fieldLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    using L = Lane<T>;
    const auto* a = at<typename L::Store>(r, g.a);
    if constexpr (O == Op::Bfind || O == Op::BfindShift || O == Op::Popc || O == Op::Clz) {
        forActiveLanes<Full>(at<U32a>(r, g.d), mask, [=](int l) -> std::uint32_t {
            if constexpr (O == Op::Popc)
                return static_cast<std::uint32_t>(__builtin_popcountll(static_cast<std::uint64_t>(a[l])));
            else if constexpr (O == Op::Clz)
                return static_cast<std::uint32_t>(leadingZeros(L::get(a[l])));
            else
                return findLeading(L::get(a[l]), O == Op::BfindShift);
        });
    } else if constexpr (O == Op::Bfe) {
        const U32a *b = at<U32a>(r, g.b), *c = at<U32a>(r, g.c);
        forActiveLanes<Full>(at<typename L::Store>(r, g.d), mask,
                             [=](int l) { return L::put(fieldExtract(L::get(a[l]), b[l], c[l])); });
    } else if constexpr (O == Op::Bfi) {
        const auto* b = at<typename L::Store>(r, g.b);
        const U32a *c = at<U32a>(r, g.c), *e = at<U32a>(r, g.e);
        forActiveLanes<Full>(at<typename L::Store>(r, g.d), mask, [=](int l) {
            return L::put(fieldInsert(L::get(a[l]), L::get(b[l]), c[l], e[l]));
        });
    } else if constexpr (O == Op::Prmt) {
        const U32a *b = at<U32a>(r, g.b), *c = at<U32a>(r, g.c);
        forActiveLanes<Full>(at<U32a>(r, g.d), mask, [=](int l) { return permute(a[l], b[l], c[l]); });
    } else {
        const U32a *b = at<U32a>(r, g.b), *c = at<U32a>(r, g.c);
        const std::uint32_t table = g.imm & 0xff;
        forLanes<Full>(at<U32a>(r, g.d), mask, [=](int l) { return logic3(a[l], b[l], c[l], table); });
    }
}
template <Op O, Type T>
LaneFns field()
{
    return {&fieldLanes<O, T, true>, &fieldLanes<O, T, false>};
}

template <Type T, bool Subtract, bool In, bool Out, bool Full>
void carryLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    using L = Lane<T>;
    auto* d = at<typename L::Store>(r, g.d);
    const auto *a = at<typename L::Store>(r, g.a), *b = at<typename L::Store>(r, g.b);
    const std::uint32_t carry = *at<U32a>(r, g.e);
    std::uint32_t out = 0;
    for (int l = 0; l < lanesPerWarp; ++l) {
        if (!Full && !((mask >> l) & 1u))
            continue;
        using U = typename UnsignedOf<typename L::Value>::type;
        const U x = static_cast<U>(a[l]), y = static_cast<U>(b[l]);
        const U in = In ? static_cast<U>((carry >> l) & 1u) : U(0);
        const U sum = Subtract ? static_cast<U>(x - y - in) : static_cast<U>(x + y + in);
        const bool over = Subtract ? (x < y || (in && x == y)) : (sum < x || (in && sum == x));
        out |= (over ? 1u : 0u) << l;
        d[l] = sum;
    }
    if (Out)
        writePredicate(r, g.e, out, Full ? allLanes : mask);
}
template <Type T>
LaneFns carry(Op op)
{
    switch (op) {
    case Op::AddCC:
        return {&carryLanes<T, false, false, true, true>, &carryLanes<T, false, false, true, false>};
    case Op::AddC:
        return {&carryLanes<T, false, true, false, true>, &carryLanes<T, false, true, false, false>};
    case Op::AddCCC:
        return {&carryLanes<T, false, true, true, true>, &carryLanes<T, false, true, true, false>};
    case Op::SubCC:
        return {&carryLanes<T, true, false, true, true>, &carryLanes<T, true, false, true, false>};
    case Op::SubC:
        return {&carryLanes<T, true, true, false, true>, &carryLanes<T, true, true, false, false>};
    case Op::SubCCC:
        return {&carryLanes<T, true, true, true, true>, &carryLanes<T, true, true, true, false>};
    default:
        return {};
    }
}

template <Cmp C, Type T, bool Ftz>
std::uint32_t compareLanes(std::byte* r, const LaneArgs& g)
{
    using L = Lane<T>;
    const auto *a = at<typename L::Store>(r, g.a), *b = at<typename L::Store>(r, g.b);
    return bitsOf([=](int l) {
        if constexpr (Ftz)
            return compare<C>(flush(L::get(a[l])), flush(L::get(b[l])));
        else
            return compare<C>(L::get(a[l]), L::get(b[l]));
    });
}
template <Cmp C, Type T, bool Ftz, bool Full>
void setpLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    const std::uint32_t active = Full ? allLanes : mask;
    const std::uint32_t result = compareLanes<C, T, Ftz>(r, g);
    const std::uint32_t join = g.imm >> 8;
    std::uint32_t first = result, second = ~result;
    if (join) {
        const std::uint32_t other = readPredicate(r, g.c, (g.imm & 4) != 0);
        auto joined = [&](std::uint32_t bits) {
            return join == 1 ? bits & other : join == 2 ? bits | other : bits ^ other;
        };
        first = joined(result);
        second = joined(~result);
    }
    writePredicate(r, g.d, first, active);
    if (g.e != noSlot)
        writePredicate(r, g.e, second, active);
}
template <Cmp C, Type T, bool Ftz, bool Full>
void setLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    const std::uint32_t bits = compareLanes<C, T, Ftz>(r, g);
    const std::uint32_t yes = g.imm; // all ones, or 1.0f
    forLanes<Full>(at<U32a>(r, g.d), mask, [=](int l) { return (bits >> l) & 1u ? yes : 0u; });
}
template <Cmp C, Type T>
LaneFns comparison(bool set, bool ftz)
{
    if constexpr (T == Type::F32) {
        if (ftz) {
            if (set)
                return {&setLanes<C, T, true, true>, &setLanes<C, T, true, false>};
            return {&setpLanes<C, T, true, true>, &setpLanes<C, T, true, false>};
        }
    }
    if (set)
        return {&setLanes<C, T, false, true>, &setLanes<C, T, false, false>};
    return {&setpLanes<C, T, false, true>, &setpLanes<C, T, false, false>};
}
template <Type T>
LaneFns integerComparison(Cmp cmp, bool set)
{
    switch (cmp) {
    case Cmp::Eq:
        return comparison<Cmp::Eq, T>(set, false);
    case Cmp::Ne:
        return comparison<Cmp::Ne, T>(set, false);
    case Cmp::Lt:
        return comparison<Cmp::Lt, T>(set, false);
    case Cmp::Le:
        return comparison<Cmp::Le, T>(set, false);
    case Cmp::Gt:
        return comparison<Cmp::Gt, T>(set, false);
    case Cmp::Ge:
        return comparison<Cmp::Ge, T>(set, false);
    default:
        return {};
    }
}
template <Type T>
LaneFns floatComparison(Cmp cmp, bool set, bool ftz)
{
    switch (cmp) {
    case Cmp::Eq:
        return comparison<Cmp::Eq, T>(set, ftz);
    case Cmp::Ne:
        return comparison<Cmp::Ne, T>(set, ftz);
    case Cmp::Lt:
        return comparison<Cmp::Lt, T>(set, ftz);
    case Cmp::Le:
        return comparison<Cmp::Le, T>(set, ftz);
    case Cmp::Gt:
        return comparison<Cmp::Gt, T>(set, ftz);
    case Cmp::Ge:
        return comparison<Cmp::Ge, T>(set, ftz);
    case Cmp::Equ:
        return comparison<Cmp::Equ, T>(set, ftz);
    case Cmp::Neu:
        return comparison<Cmp::Neu, T>(set, ftz);
    case Cmp::Ltu:
        return comparison<Cmp::Ltu, T>(set, ftz);
    case Cmp::Leu:
        return comparison<Cmp::Leu, T>(set, ftz);
    case Cmp::Gtu:
        return comparison<Cmp::Gtu, T>(set, ftz);
    case Cmp::Geu:
        return comparison<Cmp::Geu, T>(set, ftz);
    case Cmp::Num:
        return comparison<Cmp::Num, T>(set, ftz);
    case Cmp::Nan:
        return comparison<Cmp::Nan, T>(set, ftz);
    case Cmp::None:
        break;
    }
    return {};
}

template <class S, bool Full>
void selectLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    const S *a = at<S>(r, g.a), *b = at<S>(r, g.b);
    const std::uint32_t choose = readPredicate(r, g.c, (g.imm & 4) != 0);
    forLanes<Full>(at<S>(r, g.d), mask, [=](int l) { return (choose >> l) & 1u ? a[l] : b[l]; });
}

template <Op O, bool Full>
void predicateLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    const std::uint32_t a = readPredicate(r, g.a, (g.imm & 1) != 0);
    std::uint32_t value = a;
    if constexpr (O == Op::Not) {
        value = ~a;
    } else if constexpr (O != Op::Mov) {
        const std::uint32_t b = readPredicate(r, g.b, (g.imm & 2) != 0);
        value = O == Op::And ? a & b : O == Op::Or ? a | b : a ^ b;
    }
    writePredicate(r, g.d, value, Full ? allLanes : mask);
}
template <Op O>
LaneFns predicateFns()
{
    return {&predicateLanes<O, true>, &predicateLanes<O, false>};
}

template <Type T, bool Full>
void testLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    using L = Lane<T>;
    const auto* a = at<typename L::Store>(r, g.a);
    const auto kind = static_cast<ptx::TestpKind>(g.imm);
    const std::uint32_t bits = bitsOf([=](int l) {
        const auto v = L::get(a[l]);
        const bool nan = v != v, finite = v - v == 0;
        const auto magnitude = v < 0 ? -v : v;
        const double smallest = sizeof(v) == 4 ? 0x1p-126 : 0x1p-1022;
        const bool normal = finite && static_cast<double>(magnitude) >= smallest;
        switch (kind) {
        case ptx::TestpKind::Finite:
            return finite;
        case ptx::TestpKind::Infinite:
            return !finite && !nan;
        case ptx::TestpKind::Number:
            return !nan;
        case ptx::TestpKind::NotANumber:
            return nan;
        case ptx::TestpKind::Normal:
            return normal;
        case ptx::TestpKind::Subnormal:
            return finite && !normal && v != 0;
        }
        return false;
    });
    writePredicate(r, g.d, bits, Full ? allLanes : mask);
}

template <Type To, Type From, Rounding R, bool Ftz, bool Saturate>
struct Conversion
{
    template <bool Full>
    static void run(std::byte* r, const LaneArgs& g, std::uint32_t mask)
    {
        using D = Lane<To>;
        using A = Lane<From>;
        using V = typename D::Value;
        using W = typename A::Value;
        const auto* a = at<typename A::Store>(r, g.a);
        auto f = [=](int l) {
            W v = A::get(a[l]);
            if constexpr (Ftz)
                v = flush(v);
            if constexpr (!floating<V> && !floating<W>) {
                if constexpr (Saturate) {
                    const I128 w = static_cast<I128>(v), low = static_cast<I128>(lowest<V>()),
                               high = static_cast<I128>(highest<V>());
                    return D::put(static_cast<V>(w < low ? low : w > high ? high : w));
                } else {
                    return D::put(static_cast<V>(v));
                }
            } else if constexpr (floating<V> && !floating<W>) {
                if constexpr (R == Rounding::Rn)
                    return D::put(static_cast<V>(v));
                else
                    return D::put(integerToFloat<V>(v, R));
            } else if constexpr (!floating<V>) {
                return D::put(floatToInteger<V>(v, R));
            } else if constexpr (R == Rounding::Rni || R == Rounding::Rzi || R == Rounding::Rmi ||
                                 R == Rounding::Rpi) {
                return D::put(static_cast<V>(roundIntegral(v, R)));
            } else if constexpr (Saturate) {
                return D::put(static_cast<V>(v > 0 ? (v < 1 ? v : W(1)) : W(0))); // NaN becomes 0
            } else if constexpr (sizeof(V) < sizeof(W)) {
                return D::put(narrow(v, R));
            } else {
                return D::put(static_cast<V>(v));
            }
        };
        auto* d = at<typename D::Store>(r, g.d);
        if constexpr (floating<W> || Saturate || (floating<V> && R != Rounding::Rn))
            forActiveLanes<Full>(d, mask, f);
        else
            forLanes<Full>(d, mask, f);
    }
};
template <Type To, Type From, Rounding R, bool Ftz, bool Saturate>
LaneFns conversion()
{
    using C = Conversion<To, From, R, Ftz, Saturate>;
    return {&C::template run<true>, &C::template run<false>};
}

template <Type T, Type From>
LaneFns fromFloat(const LaneKey& key)
{
    if constexpr (From == Type::F32) {
        if (key.ftz) {
            switch (key.rounding) {
            case Rounding::Rni:
                return conversion<T, From, Rounding::Rni, true, false>();
            case Rounding::Rzi:
                return conversion<T, From, Rounding::Rzi, true, false>();
            case Rounding::Rmi:
                return conversion<T, From, Rounding::Rmi, true, false>();
            case Rounding::Rpi:
                return conversion<T, From, Rounding::Rpi, true, false>();
            default:
                return {};
            }
        }
    }
    switch (key.rounding) {
    case Rounding::Rni:
        return conversion<T, From, Rounding::Rni, false, false>();
    case Rounding::Rzi:
        return conversion<T, From, Rounding::Rzi, false, false>();
    case Rounding::Rmi:
        return conversion<T, From, Rounding::Rmi, false, false>();
    case Rounding::Rpi:
        return conversion<T, From, Rounding::Rpi, false, false>();
    default:
        return {};
    }
}
template <Type To, Type From>
LaneFns integerConversion(const LaneKey& key)
{
    if constexpr (To == Type::F32 || To == Type::F64) {
        switch (key.rounding) {
        case Rounding::Rn:
            return conversion<To, From, Rounding::Rn, false, false>();
        case Rounding::Rz:
            return conversion<To, From, Rounding::Rz, false, false>();
        case Rounding::Rm:
            return conversion<To, From, Rounding::Rm, false, false>();
        case Rounding::Rp:
            return conversion<To, From, Rounding::Rp, false, false>();
        default:
            return {};
        }
    } else {
        return key.saturate ? conversion<To, From, Rounding::None, false, true>()
                            : conversion<To, From, Rounding::None, false, false>();
    }
}
template <Type To>
LaneFns conversionTo(const LaneKey& key)
{
    switch (key.source) {
    case Type::U8:
        return integerConversion<To, Type::U8>(key);
    case Type::S8:
        return integerConversion<To, Type::S8>(key);
    case Type::U16:
        return integerConversion<To, Type::U16>(key);
    case Type::S16:
        return integerConversion<To, Type::S16>(key);
    case Type::U32:
        return integerConversion<To, Type::U32>(key);
    case Type::S32:
        return integerConversion<To, Type::S32>(key);
    case Type::U64:
        return integerConversion<To, Type::U64>(key);
    case Type::S64:
        return integerConversion<To, Type::S64>(key);
    default:
        break;
    }
    if constexpr (To == Type::F32 || To == Type::F64) {
        if (key.source == To) {
            if (key.saturate)
                return key.ftz ? conversion<To, To, Rounding::None, true, true>()
                               : conversion<To, To, Rounding::None, false, true>();
            return fromFloat<To, To>(key);
        }
        if constexpr (To == Type::F64) {
            if (key.source == Type::F32)
                return conversion<To, Type::F32, Rounding::None, false, false>();
        } else if (key.source == Type::F64) {
            switch (key.rounding) {
            case Rounding::Rn:
                return conversion<To, Type::F64, Rounding::Rn, false, false>();
            case Rounding::Rz:
                return conversion<To, Type::F64, Rounding::Rz, false, false>();
            case Rounding::Rm:
                return conversion<To, Type::F64, Rounding::Rm, false, false>();
            case Rounding::Rp:
                return conversion<To, Type::F64, Rounding::Rp, false, false>();
            default:
                return {};
            }
        }
    } else {
        if (key.source == Type::F32)
            return fromFloat<To, Type::F32>(key);
        if (key.source == Type::F64)
            return fromFloat<To, Type::F64>(key);
    }
    return {};
}
LaneFns conversionFns(const LaneKey& key)
{
    switch (key.type) {
    case Type::U8:
        return conversionTo<Type::U8>(key);
    case Type::S8:
        return conversionTo<Type::S8>(key);
    case Type::U16:
        return conversionTo<Type::U16>(key);
    case Type::S16:
        return conversionTo<Type::S16>(key);
    case Type::U32:
        return conversionTo<Type::U32>(key);
    case Type::S32:
        return conversionTo<Type::S32>(key);
    case Type::U64:
        return conversionTo<Type::U64>(key);
    case Type::S64:
        return conversionTo<Type::S64>(key);
    case Type::F32:
        return conversionTo<Type::F32>(key);
    case Type::F64:
        return conversionTo<Type::F64>(key);
    default:
        return {};
    }
}

// ---- finding the function of a form

/// Bit types are computed as unsigned integers.
constexpr Type plain(Type type)
{
    switch (type) {
    case Type::B16:
        return Type::U16;
    case Type::B32:
        return Type::U32;
    case Type::B64:
        return Type::U64;
    default:
        return type;
    }
}
template <Op O>
LaneFns forIntegers(Type type)
{
    switch (plain(type)) {
    case Type::U16:
        return arithmetic<O, Type::U16>();
    case Type::S16:
        return arithmetic<O, Type::S16>();
    case Type::U32:
        return arithmetic<O, Type::U32>();
    case Type::S32:
        return arithmetic<O, Type::S32>();
    case Type::U64:
        return arithmetic<O, Type::U64>();
    case Type::S64:
        return arithmetic<O, Type::S64>();
    default:
        return {};
    }
}
template <Op O>
LaneFns forBits(Type type)
{
    switch (plain(type)) {
    case Type::U16:
        return arithmetic<O, Type::U16>();
    case Type::U32:
        return arithmetic<O, Type::U32>();
    case Type::U64:
        return arithmetic<O, Type::U64>();
    default:
        return {};
    }
}
template <Op O>
LaneFns forSigned(Type type)
{
    switch (type) {
    case Type::S16:
        return arithmetic<O, Type::S16>();
    case Type::S32:
        return arithmetic<O, Type::S32>();
    case Type::S64:
        return arithmetic<O, Type::S64>();
    default:
        return {};
    }
}
template <Op O>
LaneFns forFloats(Type type, bool ftz)
{
    if (type == Type::F32)
        return ftz ? arithmetic<O, Type::F32, true>() : arithmetic<O, Type::F32>();
    return type == Type::F64 ? arithmetic<O, Type::F64>() : LaneFns{};
}
template <Op O>
LaneFns forFloat32(Type type, bool ftz)
{
    if (type != Type::F32)
        return {};
    return ftz ? arithmetic<O, Type::F32, true>() : arithmetic<O, Type::F32>();
}
template <Op O>
LaneFns forNumbers(const LaneKey& key)
{
    const LaneFns integer = forIntegers<O>(key.type);
    return integer.full ? integer : forFloats<O>(key.type, key.ftz);
}
template <Op O>
LaneFns forWide(Type type)
{
    switch (type) {
    case Type::U32:
        return arithmetic<O, Type::U32>();
    case Type::S32:
        return arithmetic<O, Type::S32>();
    case Type::U64:
        return arithmetic<O, Type::U64>();
    case Type::S64:
        return arithmetic<O, Type::S64>();
    default:
        return {};
    }
}
template <Op O>
LaneFns fieldFor(Type type)
{
    switch (plain(type)) {
    case Type::U32:
        return field<O, Type::U32>();
    case Type::S32:
        return field<O, Type::S32>();
    case Type::U64:
        return field<O, Type::U64>();
    case Type::S64:
        return field<O, Type::S64>();
    default:
        return {};
    }
}
template <Op O>
LaneFns fieldForBits(Type type)
{
    switch (plain(type)) {
    case Type::U32:
        return field<O, Type::U32>();
    case Type::U64:
        return field<O, Type::U64>();
    default:
        return {};
    }
}
template <bool Accumulate>
LaneFns wideningFor(Type type)
{
    switch (type) {
    case Type::U16:
        return widening<Type::U16, Type::U32, Accumulate>();
    case Type::S16:
        return widening<Type::S16, Type::S32, Accumulate>();
    case Type::U32:
        return widening<Type::U32, Type::U64, Accumulate>();
    case Type::S32:
        return widening<Type::S32, Type::S64, Accumulate>();
    default:
        return {};
    }
}
template <Op O>
LaneFns directedFor(const LaneKey& key)
{
    switch (key.rounding) {
    case Rounding::Rz:
        return directedFns<O, Rounding::Rz>(key.ftz);
    case Rounding::Rm:
        return directedFns<O, Rounding::Rm>(key.ftz);
    case Rounding::Rp:
        return directedFns<O, Rounding::Rp>(key.ftz);
    default:
        return {};
    }
}
template <bool Left>
LaneFns shiftFor(Type type)
{
    switch (plain(type)) {
    case Type::U16:
        return shift<Type::U16, Left>();
    case Type::S16:
        return shift<Type::S16, Left>();
    case Type::U32:
        return shift<Type::U32, Left>();
    case Type::S32:
        return shift<Type::S32, Left>();
    case Type::U64:
        return shift<Type::U64, Left>();
    case Type::S64:
        return shift<Type::S64, Left>();
    default:
        return {};
    }
}
LaneFns comparisonFor(const LaneKey& key)
{
    const bool set = key.op == Op::Set;
    switch (plain(key.source)) {
    case Type::U16:
        return integerComparison<Type::U16>(key.cmp, set);
    case Type::S16:
        return integerComparison<Type::S16>(key.cmp, set);
    case Type::U32:
        return integerComparison<Type::U32>(key.cmp, set);
    case Type::S32:
        return integerComparison<Type::S32>(key.cmp, set);
    case Type::U64:
        return integerComparison<Type::U64>(key.cmp, set);
    case Type::S64:
        return integerComparison<Type::S64>(key.cmp, set);
    case Type::F32:
        return floatComparison<Type::F32>(key.cmp, set, key.ftz);
    case Type::F64:
        return floatComparison<Type::F64>(key.cmp, set, false);
    default:
        return {};
    }
}

LaneFns findLaneFns(const LaneKey& key)
{
    const Type type = key.type;
    if (key.rounding != Rounding::None && key.op != Op::Cvt) {
        switch (key.op) {
        case Op::Add:
            return directedFor<Op::Add>(key);
        case Op::Sub:
            return directedFor<Op::Sub>(key);
        case Op::Mul:
            return directedFor<Op::Mul>(key);
        case Op::Fma:
            return directedFor<Op::Fma>(key);
        default:
            return {};
        }
    }
    if (type == Type::Pred) {
        switch (key.op) {
        case Op::And:
            return predicateFns<Op::And>();
        case Op::Or:
            return predicateFns<Op::Or>();
        case Op::Xor:
            return predicateFns<Op::Xor>();
        case Op::Not:
            return predicateFns<Op::Not>();
        case Op::Mov:
            return predicateFns<Op::Mov>();
        default:
            return {};
        }
    }
    switch (key.op) {
    case Op::Add:
        return forNumbers<Op::Add>(key);
    case Op::Sub:
        return forNumbers<Op::Sub>(key);
    case Op::Mul:
        return forNumbers<Op::Mul>(key);
    case Op::MulHi:
        return forIntegers<Op::MulHi>(type);
    case Op::Mul24:
        return type == Type::S32 ? arithmetic<Op::Mul24, Type::S32>() : arithmetic<Op::Mul24, Type::U32>();
    case Op::Mad:
        return forIntegers<Op::Mad>(type);
    case Op::MadHi:
        return forWide<Op::MadHi>(type);
    case Op::MulWide:
        return wideningFor<false>(type);
    case Op::MadWide:
        return wideningFor<true>(type);
    case Op::Fma:
        return forFloats<Op::Fma>(type, key.ftz);
    case Op::Div:
        return forNumbers<Op::Div>(key);
    case Op::Rem:
        return forIntegers<Op::Rem>(type);
    case Op::DivApprox:
        return forFloat32<Op::DivApprox>(type, key.ftz);
    case Op::DivFull:
        return forFloat32<Op::DivFull>(type, key.ftz);
    case Op::Abs: {
        const LaneFns integer = forSigned<Op::Abs>(type);
        return integer.full ? integer : forFloats<Op::Abs>(type, key.ftz);
    }
    case Op::Neg: {
        const LaneFns integer = forSigned<Op::Neg>(type);
        return integer.full ? integer : forFloats<Op::Neg>(type, key.ftz);
    }
    case Op::Min:
        return forNumbers<Op::Min>(key);
    case Op::Max:
        return forNumbers<Op::Max>(key);
    case Op::MinNaN:
        return forFloat32<Op::MinNaN>(type, key.ftz);
    case Op::MaxNaN:
        return forFloat32<Op::MaxNaN>(type, key.ftz);
    case Op::Sad:
        return forWide<Op::Sad>(type);
    case Op::And:
        return forBits<Op::And>(type);
    case Op::Or:
        return forBits<Op::Or>(type);
    case Op::Xor:
        return forBits<Op::Xor>(type);
    case Op::Not:
        return forBits<Op::Not>(type);
    case Op::Brev:
        return type == Type::B64 ? arithmetic<Op::Brev, Type::U64>() : arithmetic<Op::Brev, Type::U32>();
    case Op::Shl:
        return shiftFor<true>(type);
    case Op::Shr:
        return shiftFor<false>(type);
    case Op::ShfLeftWrap:
        return funnelFns<Op::ShfLeftWrap>();
    case Op::ShfLeftClamp:
        return funnelFns<Op::ShfLeftClamp>();
    case Op::ShfRightWrap:
        return funnelFns<Op::ShfRightWrap>();
    case Op::ShfRightClamp:
        return funnelFns<Op::ShfRightClamp>();
    case Op::Bfe:
        return fieldFor<Op::Bfe>(type);
    case Op::Bfi:
        return fieldForBits<Op::Bfi>(type);
    case Op::Bfind:
        return fieldFor<Op::Bfind>(type);
    case Op::BfindShift:
        return fieldFor<Op::BfindShift>(type);
    case Op::Popc:
        return fieldForBits<Op::Popc>(type);
    case Op::Clz:
        return fieldForBits<Op::Clz>(type);
    case Op::Prmt:
        return field<Op::Prmt, Type::U32>();
    case Op::Lop3:
        return field<Op::Lop3, Type::U32>();
    case Op::AddCC:
    case Op::AddC:
    case Op::AddCCC:
    case Op::SubCC:
    case Op::SubC:
    case Op::SubCCC:
        return ptx::bytesOf(type) == 8 ? carry<Type::U64>(key.op) : carry<Type::U32>(key.op);
    case Op::Setp:
    case Op::Set:
        return comparisonFor(key);
    case Op::Selp:
        if (ptx::bytesOf(type) == 8)
            return {&selectLanes<U64a, true>, &selectLanes<U64a, false>};
        return {&selectLanes<U32a, true>, &selectLanes<U32a, false>};
    case Op::Mov:
    case Op::Cvta:
    case Op::CvtaTo:
        return ptx::bytesOf(type) == 8 ? arithmetic<Op::Mov, Type::U64>() : arithmetic<Op::Mov, Type::U32>();
    case Op::Cvt:
        return conversionFns(key);
    case Op::Rcp:
        return forFloats<Op::Rcp>(type, key.ftz);
    case Op::RcpApprox:
        return forFloats<Op::RcpApprox>(type, key.ftz);
    case Op::Sqrt:
        return forFloats<Op::Sqrt>(type, key.ftz);
    case Op::SqrtApprox:
        return forFloats<Op::SqrtApprox>(type, key.ftz);
    case Op::RsqrtApprox:
        return forFloats<Op::RsqrtApprox>(type, key.ftz);
    case Op::Ex2:
        return forFloat32<Op::Ex2>(type, key.ftz);
    case Op::Lg2:
        return forFloat32<Op::Lg2>(type, key.ftz);
    case Op::Sin:
        return forFloat32<Op::Sin>(type, key.ftz);
    case Op::Cos:
        return forFloat32<Op::Cos>(type, key.ftz);
    case Op::Tanh:
        return forFloat32<Op::Tanh>(type, key.ftz);
    case Op::Copysign:
        return forFloats<Op::Copysign>(type, false);
    case Op::Testp:
        if (type == Type::F32)
            return {&testLanes<Type::F32, true>, &testLanes<Type::F32, false>};
        return {&testLanes<Type::F64, true>, &testLanes<Type::F64, false>};
    default:
        return {};
    }
}

// ---- addresses

std::uint32_t offsets64(const std::uint64_t* address, std::int64_t offset, std::uint64_t base,
                        std::uint64_t limit, std::uint32_t mask, std::uint32_t* out)
{
    const U64a* a = reinterpret_cast<const U64a*>(address);
    const std::uint64_t shift = static_cast<std::uint64_t>(offset) - base;
    std::uint64_t bad = 0;
#pragma GCC ivdep
    for (int l = 0; l < lanesPerWarp; ++l) {
        const std::uint64_t v = a[l] + shift;
        out[l] = static_cast<std::uint32_t>(v);
        bad |= v > limit ? std::uint64_t(1) << l : 0;
    }
    return static_cast<std::uint32_t>(bad) & mask;
}

std::uint32_t offsets32(const std::uint32_t* address, std::int64_t offset, std::uint64_t limit,
                        std::uint32_t mask, std::uint32_t* out)
{
    const U32a* a = reinterpret_cast<const U32a*>(address);
    const std::uint32_t shift = static_cast<std::uint32_t>(offset);
    const std::uint32_t top = limit > 0xffffffffu ? 0xffffffffu : static_cast<std::uint32_t>(limit);
    std::uint32_t bad = 0;
#pragma GCC ivdep
    for (int l = 0; l < lanesPerWarp; ++l) {
        const std::uint32_t v = a[l] + shift;
        out[l] = v;
        bad |= v > top ? 1u << l : 0u;
    }
    return bad & mask;
}

bool contiguous(const std::uint32_t* offsets, std::uint32_t width)
{
    const std::uint32_t first = offsets[0];
    std::uint32_t differs = 0;
    for (std::uint32_t l = 0; l < lanesPerWarp; ++l)
        differs |= offsets[l] ^ (first + l * width);
    return differs == 0;
}

std::uint32_t misaligned(const std::uint32_t* offsets, std::uint32_t width, std::uint32_t mask)
{
    std::uint32_t any = 0;
    for (int l = 0; l < lanesPerWarp; ++l)
        any |= (mask >> l) & 1u ? offsets[l] & (width - 1) : 0u;
    if (!any)
        return 0;
    std::uint32_t bad = 0;
    for (int l = 0; l < lanesPerWarp; ++l)
        bad |= (offsets[l] & (width - 1) ? 1u : 0u) << l;
    return bad & mask;
}

void gather32(const std::byte* host, const std::uint32_t* offsets, std::uint32_t mask, std::uint32_t* d)
{
    U32a* out = reinterpret_cast<U32a*>(d);
    if (mask == allLanes) {
        for (int l = 0; l < lanesPerWarp; ++l)
            out[l] = *reinterpret_cast<const U32a*>(host + offsets[l]);
        return;
    }
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        out[l] = *reinterpret_cast<const U32a*>(host + offsets[l]);
    }
}

// ---- sectors and caches

int sectorsOf(const std::uint32_t* offsets, std::uint32_t firstSector, std::uint32_t* sectors,
              int* lineChanges, bool* ascending)
{
#if defined(__AVX512F__)
    alignas(64) std::uint32_t shifted[lanesPerWarp + 16];
    const __m512i first = _mm512_set1_epi32(static_cast<int>(firstSector));
    const __m512i low = _mm512_add_epi32(_mm512_srli_epi32(_mm512_loadu_si512(offsets), 5), first);
    const __m512i high = _mm512_add_epi32(_mm512_srli_epi32(_mm512_loadu_si512(offsets + 16), 5), first);
    _mm512_storeu_si512(shifted + 1, low);
    _mm512_storeu_si512(shifted + 17, high);
    shifted[0] = 0; // below every sector
    const __m512i beforeLow = _mm512_loadu_si512(shifted), beforeHigh = _mm512_loadu_si512(shifted + 16);
    const __mmask16 newLow = _mm512_cmpneq_epu32_mask(low, beforeLow);
    const __mmask16 newHigh = _mm512_cmpneq_epu32_mask(high, beforeHigh);
    *ascending = !(_mm512_cmplt_epu32_mask(low, beforeLow) | _mm512_cmplt_epu32_mask(high, beforeHigh));
    const __mmask16 otherLow =
        _mm512_cmpneq_epu32_mask(_mm512_srli_epi32(low, 2), _mm512_srli_epi32(beforeLow, 2));
    const __mmask16 otherHigh =
        _mm512_cmpneq_epu32_mask(_mm512_srli_epi32(high, 2), _mm512_srli_epi32(beforeHigh, 2));
    *lineChanges = __builtin_popcount(otherLow) + __builtin_popcount(otherHigh);
    const int count = __builtin_popcount(newLow);
    // Compressing to memory is microcoded on some processors; the callers leave room for whole vectors.
    _mm512_storeu_si512(sectors, _mm512_maskz_compress_epi32(newLow, low));
    _mm512_storeu_si512(sectors + count, _mm512_maskz_compress_epi32(newHigh, high));
    return count + __builtin_popcount(newHigh);
#else
    int count = 0, changes = 0;
    std::uint32_t last = 0;
    bool up = true;
    for (int l = 0; l < lanesPerWarp; ++l) {
        const std::uint32_t sector = firstSector + (offsets[l] >> 5);
        up = up && sector >= last;
        sectors[count] = sector;
        count += sector != last;
        changes += sector >> 2 != last >> 2;
        last = sector;
    }
    *lineChanges = changes;
    *ascending = up;
    return count;
#endif
}

int distinct(std::uint32_t* sectors, int count, std::uint64_t* table, std::uint32_t generation)
{
    const std::uint64_t stamp = static_cast<std::uint64_t>(generation) << 32;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const std::uint32_t sector = sectors[i];
        std::uint32_t slot = (sector * 2654435761u) >> 24;
        while ((table[slot] >> 32) == generation && static_cast<std::uint32_t>(table[slot]) != sector)
            slot = (slot + 1) & 255;
        sectors[kept] = sector;
        kept += table[slot] != (stamp | sector);
        table[slot] = stamp | sector;
    }
    return kept;
}

inline std::uint32_t setOf(std::uint32_t line, std::uint32_t sets)
{
    const std::uint64_t hash = line * 2654435761u;
    return static_cast<std::uint32_t>((hash * sets) >> 32);
}

/// Looks one line up in a set of 4 and brings it in with the sectors of `bits`; returns those that were
/// there.
inline std::uint32_t touch4(std::uint32_t* set, std::uint32_t line, std::uint32_t bits)
{
#if defined(__AVX2__)
    // By which way matched (one bit of four, or none): the line to the front, those before it back by one.
    alignas(16) static const signed char order[9][16] = {
        {-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15},
        {},
        {8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15},
        {},
        {},
        {},
        {12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
    __m128i* place = reinterpret_cast<__m128i*>(set);
    const __m128i entries = _mm_loadu_si128(place);
    const __m128i equal = _mm_cmpeq_epi32(_mm_srli_epi32(entries, 4), _mm_set1_epi32(static_cast<int>(line)));
    const int match = _mm_movemask_ps(_mm_castsi128_ps(equal));
    const __m128i moved =
        _mm_shuffle_epi8(entries, _mm_load_si128(reinterpret_cast<const __m128i*>(order[match])));
    const std::uint32_t held =
        static_cast<std::uint32_t>(_mm_cvtsi128_si32(moved)); // 0 where nothing matched
    _mm_storeu_si128(place, _mm_insert_epi32(moved, static_cast<int>(held | line << 4 | bits), 0));
    return held & bits;
#else
    const std::uint32_t a = set[0], b = set[1], c = set[2], d = set[3];
    const bool inA = a >> 4 == line, inB = b >> 4 == line, inC = c >> 4 == line, inD = d >> 4 == line;
    const std::uint32_t held = inA ? a : inB ? b : inC ? c : inD ? d : 0;
    // The line moves to the front, those before it back by one: least recently used.
    set[0] = held | line << 4 | bits;
    set[1] = inA ? b : a;
    set[2] = inA || inB ? c : b;
    set[3] = inA || inB || inC ? d : c;
    return held & bits;
#endif
}

int probe4(std::uint32_t* lines, std::uint32_t sets, const std::uint32_t* sectors, int count,
           std::uint32_t* missed)
{
    int misses = 0;
    for (int i = 0; i < count;) {
        const std::uint32_t line = (sectors[i] >> 2) + 1;
        std::uint32_t bits = 1u << (sectors[i] & 3);
        const int first = i++;
        for (; i < count && (sectors[i] >> 2) + 1 == line; ++i)
            bits |= 1u << (sectors[i] & 3);
        const std::uint32_t held = touch4(lines + std::uint64_t(setOf(line, sets)) * 4, line, bits);
        missed[misses] = sectors[first];
        misses += (held >> (sectors[first] & 3) & 1) == 0;
        for (int k = first + 1; k < i; ++k) {
            missed[misses] = sectors[k];
            misses += (held >> (sectors[k] & 3) & 1) == 0;
        }
    }
    return misses;
}

/// Ones in four bits.
inline int onesOf(std::uint32_t four)
{
    return static_cast<int>((0x4332322132212110u >> (4 * four)) & 15);
}

int probeResident(std::uint32_t* lines, std::uint32_t sets, std::uint64_t* resident,
                  const std::uint32_t* sectors, int count, std::uint32_t* missed, int* l1Hits)
{
    int misses = 0, hits = 0;
    for (int i = 0; i < count;) {
        const std::uint32_t at = sectors[i] >> 2;
        std::uint32_t bits = 1u << (sectors[i] & 3);
        for (++i; i < count && sectors[i] >> 2 == at; ++i)
            bits |= 1u << (sectors[i] & 3);
        const std::uint32_t held = touch4(lines + std::uint64_t(setOf(at + 1, sets)) * 4, at + 1, bits);
        hits += onesOf(held);
        // L2 holds whatever L1 does, so asking it for everything changes nothing.
        std::uint64_t& word = resident[at / 16];
        const std::uint32_t there = static_cast<std::uint32_t>(word >> (at % 16 * 4)) & 15u;
        word |= static_cast<std::uint64_t>(bits) << (at % 16 * 4);
        for (std::uint32_t rest = bits & ~held & ~there; rest; rest &= rest - 1)
            missed[misses++] = at * 4 + static_cast<std::uint32_t>(__builtin_ctz(rest));
    }
    *l1Hits = hits;
    return misses;
}

int probe16(std::uint32_t* lines, std::uint32_t sets, std::uint32_t* clock, const std::uint32_t* sectors,
            int count, std::uint32_t* missed)
{
    std::uint32_t* found[lanesPerWarp];
    for (int i = 0; i < count; ++i) {
        found[i] = lines + std::uint64_t(setOf((sectors[i] >> 2) + 1, sets)) * 16;
        __builtin_prefetch(found[i], 1);
    }
    int misses = 0;
    for (int i = 0; i < count; ++i) {
        const std::uint32_t line = (sectors[i] >> 2) + 1;
        const std::uint32_t bit = 1u << (sectors[i] & 3);
        std::uint32_t* set = found[i];
        std::uint32_t match = 0, empty = 0;
#if defined(__AVX512F__)
        const __m512i held = _mm512_srli_epi32(_mm512_loadu_si512(set), 4);
        match = _mm512_cmpeq_epu32_mask(held, _mm512_set1_epi32(static_cast<int>(line)));
        if (!match)
            empty = _mm512_testn_epi32_mask(held, held);
#elif defined(__AVX2__)
        const __m256i wanted = _mm256_set1_epi32(static_cast<int>(line));
        const __m256i low = _mm256_srli_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(set)), 4);
        const __m256i high =
            _mm256_srli_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(set + 8)), 4);
        auto bits = [](__m256i l, __m256i h) {
            return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(l))) |
                   static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(h))) << 8;
        };
        match = bits(_mm256_cmpeq_epi32(low, wanted), _mm256_cmpeq_epi32(high, wanted));
        if (!match)
            empty = bits(_mm256_cmpeq_epi32(low, _mm256_setzero_si256()),
                         _mm256_cmpeq_epi32(high, _mm256_setzero_si256()));
#else
        for (int w = 0; w < 16; ++w) {
            match |= (set[w] >> 4 == line ? 1u : 0u) << w;
            empty |= (set[w] == 0 ? 1u : 0u) << w;
        }
#endif
        if (match) {
            std::uint32_t& entry = set[__builtin_ctz(match)];
            missed[misses] = sectors[i];
            misses += (entry & bit) == 0;
            entry |= bit;
            continue;
        }
        // Any victim is as good as another; this one is the same on every machine.
        const int victim = empty ? __builtin_ctz(empty) : static_cast<int>((++*clock * 2654435761u) >> 28);
        set[victim] = line << 4 | bit;
        missed[misses++] = sectors[i];
    }
    return misses;
}

} // namespace

LaneTable SPARSERL_LANES()
{
    return {SPARSERL_LANES_NAME,
            &findLaneFns,
            {&offsets64, &offsets32, &contiguous, &misaligned, &gather32},
            {&sectorsOf, &distinct, &probe4, &probe16, &probeResident}};
}

} // namespace sparserl::sim
