// SPDX-License-Identifier: Apache-2.0
// Operations on all lanes. Included by lane_lookup.h only.
#pragma once

#include "device/simulator/lanes/lane_operations.h"

namespace sparserl::sim {

namespace {

/// The number of sources of an operation, in values of type V.
template <class F, class V>
constexpr int arity = requires(V v)
{
    F::apply(v, v, v);
}
? 3 : requires(V v)
{
    F::apply(v, v);
}
? 2 : 1;

/// Arithmetic with sources and results of one type.
template <class F, Type T, bool Ftz>
struct Arithmetic
{
    using L = Lane<T>;
    using V = typename L::Value;
    static constexpr int sources = arity<F, V>;

    static V in(V v)
    {
        if constexpr (Ftz && floating<V>)
            return flush(v);
        else
            return v;
    }
    static V apply(V a, [[maybe_unused]] V b, [[maybe_unused]] V c)
    {
        if constexpr (sources == 3)
            return F::apply(a, b, c);
        else if constexpr (sources == 2)
            return F::apply(a, b);
        else
            return F::apply(a);
    }
    template <bool Full>
    static void run(std::byte* r, const LaneArgs& g, std::uint32_t mask)
    {
        using S = typename L::Store;
        S* d = at<S>(r, g.d);
        const S* a = at<S>(r, g.a);
        [[maybe_unused]] const S* b = sources > 1 ? at<S>(r, g.b) : a;
        [[maybe_unused]] const S* c = sources > 2 ? at<S>(r, g.c) : a;
        auto f = [=](int l) {
            return L::put(in(apply(in(L::get(a[l])), in(L::get(b[l])), in(L::get(c[l])))));
        };
        if constexpr (requires { F::slow; })
            forActiveLanes<Full>(d, mask, f);
        else
            forLanes<Full>(d, mask, f);
    }
};
template <class F, Type T, bool Ftz = false>
LaneFns arithmetic()
{
    return {&Arithmetic<F, T, Ftz>::template run<true>, &Arithmetic<F, T, Ftz>::template run<false>};
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
LaneFns widened()
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

template <bool Left, bool Wrap, bool Full>
void funnelLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    U32a* d = at<U32a>(r, g.d);
    const U32a *a = at<U32a>(r, g.a), *b = at<U32a>(r, g.b), *c = at<U32a>(r, g.c);
    forLanes<Full>(d, mask, [=](int l) {
        const std::uint32_t n = Wrap ? c[l] & 31u : (c[l] < 32u ? c[l] : 32u);
        const std::uint64_t both = (static_cast<std::uint64_t>(b[l]) << 32) | a[l];
        return Left ? static_cast<std::uint32_t>((both << n) >> 32) : static_cast<std::uint32_t>(both >> n);
    });
}

/// Runs an operation that returns a 32-bit number for each value.
template <class F, Type T, bool Full>
void countLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    using L = Lane<T>;
    const auto* a = at<typename L::Store>(r, g.a);
    forActiveLanes<Full>(at<U32a>(r, g.d), mask, [=](int l) { return F::apply(L::get(a[l])); });
}
template <class F, Type T>
LaneFns counted()
{
    return {&countLanes<F, T, true>, &countLanes<F, T, false>};
}

template <Type T, bool Full>
void extractLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    using L = Lane<T>;
    const auto* a = at<typename L::Store>(r, g.a);
    const U32a *b = at<U32a>(r, g.b), *c = at<U32a>(r, g.c);
    forActiveLanes<Full>(at<typename L::Store>(r, g.d), mask,
                         [=](int l) { return L::put(fieldExtract(L::get(a[l]), b[l], c[l])); });
}
template <Type T, bool Full>
void insertLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    using L = Lane<T>;
    const auto *a = at<typename L::Store>(r, g.a), *b = at<typename L::Store>(r, g.b);
    const U32a *c = at<U32a>(r, g.c), *e = at<U32a>(r, g.e);
    forActiveLanes<Full>(at<typename L::Store>(r, g.d), mask,
                         [=](int l) { return L::put(fieldInsert(L::get(a[l]), L::get(b[l]), c[l], e[l])); });
}
template <bool Full>
void permuteLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    const U32a *a = at<U32a>(r, g.a), *b = at<U32a>(r, g.b), *c = at<U32a>(r, g.c);
    forActiveLanes<Full>(at<U32a>(r, g.d), mask, [=](int l) { return permute(a[l], b[l], c[l]); });
}
template <bool Full>
void logicLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    const U32a *a = at<U32a>(r, g.a), *b = at<U32a>(r, g.b), *c = at<U32a>(r, g.c);
    const std::uint32_t table = g.imm & 0xff;
    forLanes<Full>(at<U32a>(r, g.d), mask, [=](int l) { return logic3(a[l], b[l], c[l], table); });
}

template <class F, Type T, bool Full>
void carryLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    using L = Lane<T>;
    using U = Unsigned<typename L::Value>;
    auto* d = at<typename L::Store>(r, g.d);
    const auto *a = at<typename L::Store>(r, g.a), *b = at<typename L::Store>(r, g.b);
    constexpr bool multiplies = requires(typename L::Value v)
    {
        F::product(v, v);
    };
    [[maybe_unused]] const auto* c = multiplies ? at<typename L::Store>(r, g.c) : a;
    const std::uint32_t carry = *at<U32a>(r, g.e);
    std::uint32_t out = 0;
    for (int l = 0; l < lanesPerWarp; ++l) {
        if (!Full && !((mask >> l) & 1u))
            continue;
        U x = static_cast<U>(a[l]), y = static_cast<U>(b[l]);
        if constexpr (multiplies) {
            x = static_cast<U>(F::product(L::get(a[l]), L::get(b[l])));
            y = static_cast<U>(c[l]);
        }
        const U in = F::in ? static_cast<U>((carry >> l) & 1u) : U(0);
        const U sum = F::subtract ? static_cast<U>(x - y - in) : static_cast<U>(x + y + in);
        const bool over = F::subtract ? (x < y || (in && x == y)) : (sum < x || (in && sum == x));
        out |= (over ? 1u : 0u) << l;
        d[l] = sum;
    }
    if (F::out)
        writePredicate(r, g.e, out, Full ? allLanes : mask);
}

template <class S, bool Full>
void selectLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    const S *a = at<S>(r, g.a), *b = at<S>(r, g.b);
    const std::uint32_t choose = readPredicate(r, g.c, (g.imm & 4) != 0);
    forLanes<Full>(at<S>(r, g.d), mask, [=](int l) { return (choose >> l) & 1u ? a[l] : b[l]; });
}

template <class F, bool Full>
void predicateLanes(std::byte* r, const LaneArgs& g, std::uint32_t mask)
{
    const std::uint32_t a = readPredicate(r, g.a, (g.imm & 1) != 0);
    std::uint32_t value;
    if constexpr (arity<F, std::uint32_t> == 2)
        value = F::apply(a, readPredicate(r, g.b, (g.imm & 2) != 0));
    else
        value = F::apply(a);
    writePredicate(r, g.d, value, Full ? allLanes : mask);
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
        // Zeros count as normal (PTX manual, testp; the hardware does the same).
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

} // namespace

} // namespace sparserl::sim
