// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/execute/atomic_operations.h"

#include "device/simulator/lanes/small_floats.h"

#include <algorithm>
#include <cstring>

namespace sparserl::sim {

using ptx::AtomOp;
using ptx::Type;

namespace {

template <class V>
std::uint64_t combine(AtomOp op, V old, V value, V other)
{
    V result = value;
    switch (op) {
    case AtomOp::Add:
        result = static_cast<V>(old + value);
        break;
    case AtomOp::Exch:
        break;
    case AtomOp::Cas:
        result = old == value ? other : old;
        break;
    case AtomOp::Min:
        result = std::min(old, value);
        break;
    case AtomOp::Max:
        result = std::max(old, value);
        break;
    case AtomOp::Inc:
        result = old >= value ? V(0) : static_cast<V>(old + 1);
        break;
    case AtomOp::Dec:
        result = old == V(0) || old > value ? value : static_cast<V>(old - 1);
        break;
    default:
        break;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &result, sizeof result);
    return bits;
}

template <class V>
V as(std::uint64_t bits)
{
    V value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// The sum of two halves.
std::uint64_t halfSum(std::uint64_t old, std::uint64_t value)
{
    return toHalf(fromHalf(static_cast<std::uint32_t>(old)) + fromHalf(static_cast<std::uint32_t>(value)));
}

} // namespace

std::uint64_t atomicResult(AtomOp op, Type type, std::uint64_t old, std::uint64_t value, std::uint64_t other)
{
    switch (op) {
    case AtomOp::And:
        return old & value;
    case AtomOp::Or:
        return old | value;
    case AtomOp::Xor:
        return old ^ value;
    default:
        break;
    }
    switch (type) {
    case Type::F16: // both are only added
        return halfSum(old, value);
    case Type::F16x2:
        return halfSum(old, value) | halfSum(old >> 16, value >> 16) << 16;
    case Type::F32:
        return combine(op, as<float>(old), as<float>(value), as<float>(other));
    case Type::F64:
        return combine(op, as<double>(old), as<double>(value), as<double>(other));
    case Type::S32:
        if (op == AtomOp::Add)
            return combine(op, as<std::uint32_t>(old), as<std::uint32_t>(value), as<std::uint32_t>(other));
        return combine(op, as<std::int32_t>(old), as<std::int32_t>(value), as<std::int32_t>(other));
    case Type::S64:
        if (op == AtomOp::Add)
            return combine(op, old, value, other);
        return combine(op, as<std::int64_t>(old), as<std::int64_t>(value), as<std::int64_t>(other));
    case Type::B16:
        return combine(op, as<std::uint16_t>(old), as<std::uint16_t>(value), as<std::uint16_t>(other));
    case Type::U32:
    case Type::B32:
        return combine(op, as<std::uint32_t>(old), as<std::uint32_t>(value), as<std::uint32_t>(other));
    default:
        return combine(op, old, value, other);
    }
}

} // namespace sparserl::sim
