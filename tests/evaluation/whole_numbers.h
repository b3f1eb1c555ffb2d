// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace sparserl::tests {

/// Changes every whole number of `json` to ones that do not fit. `again` reads a message and writes what it
/// read, or gives null where it refuses it. Returns the first place where another number comes back than was
/// there, or where nothing is accepted at all; empty: there is none.
template <typename Again>
std::string placeThatWraps(const nlohmann::json& json, const Again& again)
{
    if (again(json).is_null())
        return "/";
    const nlohmann::json places = json.flatten();
    for (const auto& [place, value] : places.items()) {
        if (!value.is_number_integer())
            continue;
        const nlohmann::json::json_pointer at(place);
        for (const nlohmann::json& other :
             {nlohmann::json(1e300), nlohmann::json(-1e300), nlohmann::json(1.5), nlohmann::json(INT64_MIN),
              nlohmann::json(std::uint64_t(1) << 63), nlohmann::json(UINT64_MAX),
              nlohmann::json((std::int64_t(1) << 32) + 1)}) {
            nlohmann::json changed = json;
            changed[at] = other;
            const nlohmann::json back = again(changed);
            if (!back.is_null() && (!back.contains(at) || back[at] != other))
                return place + " = " + other.dump();
        }
    }
    return {};
}

} // namespace sparserl::tests
