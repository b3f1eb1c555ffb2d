// SPDX-License-Identifier: Apache-2.0
// Comparisons of all lanes. Included by lane_lookup.h only.
#pragma once

#include "device/simulator/lanes/lane_scalars.h"

namespace sparserl::sim {

namespace {

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

LaneFns comparisonOf(const LaneKey& key, bool set)
{
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
    case Type::F16:
        return floatComparison<Type::F16>(key.cmp, set, false);
    case Type::F32:
        return floatComparison<Type::F32>(key.cmp, set, key.ftz);
    case Type::F64:
        return floatComparison<Type::F64>(key.cmp, set, false);
    default:
        return {};
    }
}
/// Returns the functions of a comparison whose result is a predicate.
LaneFns comparisons(const LaneKey& key)
{
    return comparisonOf(key, false);
}
/// Returns the functions of a comparison whose result is all ones, or 1.0.
LaneFns comparedValues(const LaneKey& key)
{
    return comparisonOf(key, true);
}

} // namespace

} // namespace sparserl::sim
