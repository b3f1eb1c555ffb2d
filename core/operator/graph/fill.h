// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>

namespace sparserl {

enum class FillKind
{
    Constant, ///< `first` everywhere.
    Uniform,  ///< In [first, second).
    Normal,   ///< Mean `first`, standard deviation `second`.
    Integers  ///< Whole numbers in [first, second).
};

/// A recipe for the elements of a tensor, instead of the elements themselves.
struct Fill
{
    FillKind kind = FillKind::Constant;
    double first = 0, second = 0;

    bool operator==(const Fill&) const = default;
};

/// {"constant": 0}, {"uniform": [0, 1]}, {"normal": [0, 0.02]}, {"integers": [0, 10]}.
nlohmann::json toJson(const Fill& fill);
/// Numbers must be finite, bounds in order, a deviation not negative.
Result<Fill> fillFromJson(const nlohmann::json& json);

} // namespace sparserl
