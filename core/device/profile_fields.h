// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "device/launch_profile.h"

namespace sparserl {

/// Rounds to six significant digits, which suffices and keeps files small.
double roundedForProfile(double value);

/// Writes numbers rounded to six digits.
template <typename T>
struct AsRounded
{
    T& value;
};
template <typename T>
AsRounded(T&) -> AsRounded<T>;

template <typename T>
struct FieldCodec<AsRounded<T>>
{
    static nlohmann::json write(AsRounded<T> rounded)
    {
        if constexpr (std::is_arithmetic_v<std::remove_cv_t<T>>) {
            return roundedForProfile(rounded.value);
        } else {
            auto list = nlohmann::json::array();
            for (const auto number : rounded.value)
                list.push_back(roundedForProfile(number));
            return list;
        }
    }
    static void read(const nlohmann::json& json, AsRounded<T> rounded, Reading reading)
    {
        FieldCodec<T>::read(json, rounded.value, reading);
    }
};

template <>
struct Fields<BlockClass>
{
    static void of(auto& c, auto& field)
    {
        field("count", c.count);
        field("first", c.first);
        field("last", c.last);
        field("steps", AsRounded{c.steps}, requiredField());
        field("instructions", AsRounded{c.instructions});
    }
};

template <>
struct Fields<LaunchProfile>
{
    static void of(auto& l, auto& field)
    {
        field("kernel", l.kernel);
        field("blocks", l.blocks);
        field("threads", l.threadsPerBlock);
        field("blocks_per_sm", l.blocksPerSm);
        field("code", l.codeInstructions);
        field("classes", l.classes, requiredField());
        field("total", AsRounded{l.total}, requiredField());
        field("busiest", AsRounded{l.busiest}, requiredField());
        field("store_sectors", l.storeSectors);
        field("atomic_sectors", l.atomicSectors);
        field("atomic_lanes", l.atomicLanes);
        field("hottest_word", l.hottestWord);
        field("hottest_sector", l.hottestSector);
        field("distinct_sectors", l.distinctSectors);
    }
};

template <>
struct Fields<CallProfile>
{
    static void of(auto& p, auto& field)
    {
        field("launches", p.launches, requiredField());
        field("fills", p.fills);
        field("matrix_bytes", p.matrixBytes);
        field("input_bytes", p.inputBytes);
        field("output_bytes", p.outputBytes);
    }
};

} // namespace sparserl
