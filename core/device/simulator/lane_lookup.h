// SPDX-License-Identifier: Apache-2.0
// From a form to its functions. Included by lane_ops_body.h only.
#pragma once

#include "device/simulator/lane_functions.h"

namespace sparserl::sim {

namespace {

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

} // namespace

} // namespace sparserl::sim
