// SPDX-License-Identifier: Apache-2.0
// Operations on all lanes. Included by lane_ops_body.h only.
#pragma once

#include "device/simulator/lane_scalars.h"

namespace sparserl::sim {

namespace {

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
        // Zeros count as normal (PTX manual, testp; so does the hardware).
        const bool normal = finite && (static_cast<double>(magnitude) >= smallest || v == 0);
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
            return finite && !normal;
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

} // namespace

} // namespace sparserl::sim
