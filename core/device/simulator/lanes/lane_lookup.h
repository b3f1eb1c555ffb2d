// SPDX-License-Identifier: Apache-2.0
// Finds the functions of a form: what ptx/opcodes.def calls LANES. Included by lane_ops_body.h only.
#pragma once

#include "device/simulator/lanes/lane_comparisons.h"
#include "device/simulator/lanes/lane_conversions.h"
#include "device/simulator/lanes/lane_functions.h"

namespace sparserl::sim {

namespace {

// ---- arithmetic of the types that a family of forms has

template <class F>
LaneFns integers(const LaneKey& key)
{
    switch (key.type) {
    case Type::U16:
        return arithmetic<F, Type::U16>();
    case Type::S16:
        return arithmetic<F, Type::S16>();
    case Type::U32:
        return arithmetic<F, Type::U32>();
    case Type::S32:
        return arithmetic<F, Type::S32>();
    case Type::U64:
        return arithmetic<F, Type::U64>();
    case Type::S64:
        return arithmetic<F, Type::S64>();
    default:
        return {};
    }
}
template <class F>
LaneFns wideIntegers(const LaneKey& key)
{
    switch (key.type) {
    case Type::U32:
        return arithmetic<F, Type::U32>();
    case Type::S32:
        return arithmetic<F, Type::S32>();
    case Type::U64:
        return arithmetic<F, Type::U64>();
    case Type::S64:
        return arithmetic<F, Type::S64>();
    default:
        return {};
    }
}
template <class F>
LaneFns words(const LaneKey& key)
{
    switch (key.type) {
    case Type::U32:
        return arithmetic<F, Type::U32>();
    case Type::S32:
        return arithmetic<F, Type::S32>();
    default:
        return {};
    }
}
template <class F>
LaneFns signedIntegers(const LaneKey& key)
{
    switch (key.type) {
    case Type::S16:
        return arithmetic<F, Type::S16>();
    case Type::S32:
        return arithmetic<F, Type::S32>();
    case Type::S64:
        return arithmetic<F, Type::S64>();
    default:
        return {};
    }
}
template <class F>
LaneFns bits(const LaneKey& key)
{
    switch (plain(key.type)) {
    case Type::U16:
        return arithmetic<F, Type::U16>();
    case Type::U32:
        return arithmetic<F, Type::U32>();
    case Type::U64:
        return arithmetic<F, Type::U64>();
    default:
        return {};
    }
}
template <class F>
LaneFns wideBits(const LaneKey& key)
{
    switch (plain(key.type)) {
    case Type::U32:
        return arithmetic<F, Type::U32>();
    case Type::U64:
        return arithmetic<F, Type::U64>();
    default:
        return {};
    }
}
template <class F>
LaneFns singles(const LaneKey& key)
{
    return key.ftz ? arithmetic<F, Type::F32, true>() : arithmetic<F, Type::F32>();
}
template <class F>
LaneFns doubles(const LaneKey&)
{
    return arithmetic<F, Type::F64>();
}
template <class F>
LaneFns floats(const LaneKey& key)
{
    return key.type == Type::F64 ? arithmetic<F, Type::F64>() : singles<F>(key);
}
template <bool Accumulate>
LaneFns widening(const LaneKey& key)
{
    switch (key.type) {
    case Type::U16:
        return widened<Type::U16, Type::U32, Accumulate>();
    case Type::S16:
        return widened<Type::S16, Type::S32, Accumulate>();
    case Type::U32:
        return widened<Type::U32, Type::U64, Accumulate>();
    case Type::S32:
        return widened<Type::S32, Type::S64, Accumulate>();
    default:
        return {};
    }
}
template <class F>
LaneFns carries(const LaneKey& key)
{
    if (ptx::bytesOf(key.type) == 8)
        return {&carryLanes<F, Type::U64, true>, &carryLanes<F, Type::U64, false>};
    return {&carryLanes<F, Type::U32, true>, &carryLanes<F, Type::U32, false>};
}
template <class F, Type T>
LaneFns productCarry()
{
    return {&carryLanes<F, T, true>, &carryLanes<F, T, false>};
}
template <class F>
LaneFns productCarries(const LaneKey& key)
{
    switch (key.type) {
    case Type::U32:
        return productCarry<F, Type::U32>();
    case Type::S32:
        return productCarry<F, Type::S32>();
    case Type::U64:
        return productCarry<F, Type::U64>();
    case Type::S64:
        return productCarry<F, Type::S64>();
    default:
        return {};
    }
}

// ---- bits

template <bool Left>
LaneFns shifts(const LaneKey& key)
{
    switch (plain(key.type)) {
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
template <bool Left, bool Wrap>
LaneFns funnels(const LaneKey&)
{
    return {&funnelLanes<Left, Wrap, true>, &funnelLanes<Left, Wrap, false>};
}
template <class F>
LaneFns counts(const LaneKey& key)
{
    switch (key.type) {
    case Type::U32:
        return counted<F, Type::U32>();
    case Type::S32:
        return counted<F, Type::S32>();
    case Type::U64:
        return counted<F, Type::U64>();
    case Type::S64:
        return counted<F, Type::S64>();
    default:
        return {};
    }
}
template <class F>
LaneFns bitCounts(const LaneKey& key)
{
    switch (plain(key.type)) {
    case Type::U32:
        return counted<F, Type::U32>();
    case Type::U64:
        return counted<F, Type::U64>();
    default:
        return {};
    }
}
template <Type T>
LaneFns extraction()
{
    return {&extractLanes<T, true>, &extractLanes<T, false>};
}
LaneFns extractions(const LaneKey& key)
{
    switch (key.type) {
    case Type::U32:
        return extraction<Type::U32>();
    case Type::S32:
        return extraction<Type::S32>();
    case Type::U64:
        return extraction<Type::U64>();
    case Type::S64:
        return extraction<Type::S64>();
    default:
        return {};
    }
}
LaneFns insertions(const LaneKey& key)
{
    if (ptx::bytesOf(key.type) == 8)
        return {&insertLanes<Type::U64, true>, &insertLanes<Type::U64, false>};
    return {&insertLanes<Type::U32, true>, &insertLanes<Type::U32, false>};
}
LaneFns permutations(const LaneKey&)
{
    return {&permuteLanes<true>, &permuteLanes<false>};
}
LaneFns truthTables(const LaneKey&)
{
    return {&logicLanes<true>, &logicLanes<false>};
}
template <class F>
LaneFns predicates(const LaneKey&)
{
    return {&predicateLanes<F, true>, &predicateLanes<F, false>};
}

// ---- choices and moves

LaneFns choices(const LaneKey& key)
{
    if (ptx::bytesOf(key.type) == 8)
        return {&selectLanes<U64a, true>, &selectLanes<U64a, false>};
    return {&selectLanes<U32a, true>, &selectLanes<U32a, false>};
}
LaneFns classes(const LaneKey& key)
{
    if (key.type == Type::F32)
        return {&testLanes<Type::F32, true>, &testLanes<Type::F32, false>};
    return {&testLanes<Type::F64, true>, &testLanes<Type::F64, false>};
}
LaneFns copies(const LaneKey& key)
{
    return ptx::bytesOf(key.type) == 8 ? arithmetic<Same, Type::U64>() : arithmetic<Same, Type::U32>();
}
/// Returns the functions that convert between integers of any size.
LaneFns resized(Type to, Type from)
{
    LaneKey key;
    key.type = to;
    key.source = from;
    return conversions(key);
}

// ---- by family of forms

using LaneFamily = LaneFns (*)(const LaneKey&);
constexpr LaneFamily laneFamilies[] = {
#define OPCODE(op, action, pipe, address)
#define FORMS(op, pattern, operands, implementation) implementation
#define LANES(...) &__VA_ARGS__,
#define SCALAR(...) nullptr,
#define NONE nullptr,
#include "ptx/opcodes.def"
#undef OPCODE
#undef FORMS
#undef LANES
#undef SCALAR
#undef NONE
};

LaneFns findLaneFns(const LaneKey& key)
{
    const LaneFamily family = laneFamilies[key.family];
    return family ? family(key) : LaneFns{};
}

} // namespace

} // namespace sparserl::sim
