// SPDX-License-Identifier: Apache-2.0
// The values of each type in the lanes of registers, and loops over lanes. Included by lane_ops_body.h only.
#pragma once

#include "device/simulator/lanes/lane_ops.h"

namespace sparserl::sim {

namespace {

using ptx::Cmp;
using ptx::Rounding;
using ptx::Type;

// These files are compiled with -fno-strict-aliasing, because the instruction determines the type of a
// register's bytes.
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

/// Read-only. Converts the half to a float of the same value.
template <>
struct Lane<Type::F16>
{
    using Value = float;
    using Store = U32a;
    static float get(std::uint32_t bits)
    {
        const std::uint32_t sign = (bits & 0x8000u) << 16, size = (bits & 0x7fffu) << 13;
        const bool finite = (bits & 0x7c00u) != 0x7c00u;
        const float scaled = __builtin_bit_cast(float, size) * 0x1p112f; // exact, even for subnormal numbers
        const std::uint32_t wide = finite ? __builtin_bit_cast(std::uint32_t, scaled) : size | 0x7f800000u;
        return __builtin_bit_cast(float, wide | sign);
    }
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

/// Returns the type for computing: bit types are computed as unsigned integers.
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
/// Applies `f` to the lanes in the mask. For operations that are expensive or may trap.
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

} // namespace

} // namespace sparserl::sim
