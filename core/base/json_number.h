// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl {

/// Converts a number to JSON. JSON has no NaN or infinities, and losing a NaN would hide a failure, so they
/// become text.
inline nlohmann::json jsonFromNumber(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

/// The inverse of jsonFromNumber(). Reads null as NaN. Returns nullopt if the JSON is not a number.
inline std::optional<double> numberFromJson(const nlohmann::json& json)
{
    if (json.is_number())
        return json.get<double>();
    if (json.is_null())
        return std::numeric_limits<double>::quiet_NaN();
    if (json == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    if (json == "inf")
        return std::numeric_limits<double>::infinity();
    if (json == "-inf")
        return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

} // namespace sparserl
