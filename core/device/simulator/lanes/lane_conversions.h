// SPDX-License-Identifier: Apache-2.0
// Conversions of all lanes. Included by lane_lookup.h only.
#pragma once

#include "device/simulator/lanes/lane_scalars.h"

namespace sparserl::sim {

namespace {

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
        if (key.source == Type::F16)
            return fromFloat<To, Type::F16>(key);
        if (key.source == Type::F32)
            return fromFloat<To, Type::F32>(key);
        if (key.source == Type::F64)
            return fromFloat<To, Type::F64>(key);
    }
    return {};
}
LaneFns conversions(const LaneKey& key)
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
