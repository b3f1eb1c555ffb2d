// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>

namespace sparserl {

enum class FillKind
{
    Constant, ///< Every element is `first`.
    Uniform,  ///< Uniformly distributed in [first, second).
    Normal,   ///< Normally distributed: mean `first`, standard deviation `second`.
    Integers  ///< Whole numbers in [first, second).
};

/// Says how to generate the elements of a tensor, so that the elements need not be stored.
struct Fill
{
    FillKind kind = FillKind::Constant;
    double first = 0, second = 0;

    bool operator==(const Fill&) const = default;
};

/// Returns JSON such as {"constant": 0}, {"uniform": [0, 1]}, {"normal": [0, 0.02]} or {"integers": [0, 10]}.
nlohmann::json toJson(const Fill& fill);
/// Fails unless all numbers are finite, the bounds are in order, and the deviation is not negative.
Result<Fill> fillFromJson(const nlohmann::json& json);

} // namespace sparserl
