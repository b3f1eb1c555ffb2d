// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/rng.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace sparserl {

enum class FillKind
{
    Constant, ///< Every element is `first`.
    Uniform,  ///< Uniformly distributed in [first, second).
    Normal,   ///< Normally distributed: mean `first`, standard deviation `second`.
    Integers  ///< Whole numbers in [first, second).
};

/// A step that is applied to each element of a tensor after it was drawn.
enum class FillOperation
{
    Add,
    Multiply,
    Divide,
    AtLeast, ///< Gives the larger of the element and the number.
    AtMost,
    Equal, ///< This one and the next five give 1 if the comparison holds, otherwise 0.
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LowerTriangle, ///< Sets 0 above the diagonal with this number in the last two dimensions.
    UpperTriangle, ///< Sets 0 below this diagonal.
    Softmax,       ///< Works on the last dimension. Neither this step nor the following ones have a number.
    Cut,           ///< Rounds to a whole number, towards zero.
    Exponential,
    Logarithm,
    Magnitude,
    InverseErf
};

struct FillStep
{
    FillOperation operation = FillOperation::Add;
    double by = 0;

    bool operator==(const FillStep&) const = default;
};

/// Says how to generate the elements of a tensor, so that the elements need not be stored.
struct Fill
{
    static constexpr std::size_t mostSteps = 32;

    FillKind kind = FillKind::Constant;
    double first = 0, second = 0;
    std::vector<FillStep> then = {}; ///< Applied in this order.

    bool operator==(const Fill&) const = default;
};

/// Returns JSON such as {"constant": 0}, {"uniform": [0, 1]}, {"normal": [0, 0.02]} or {"integers": [0, 10]}.
/// The steps are in "then": [{"mul": 2}, "softmax"].
nlohmann::json toJson(const Fill& fill);
/// Fails unless all numbers are finite, the bounds are in order, and the deviation is not negative.
Result<Fill> fillFromJson(const nlohmann::json& json);

/// Draws elements of one row (the last dimension) of a tensor: row number `row` of its matrix, from column
/// `column` on. A fill with Softmax needs the whole row.
void fillRow(const Fill& fill, std::int64_t row, std::int64_t column, std::span<double> elements, Rng& rng);

/// Returns y with erf(y) = x: infinite for -1 and 1, NaN beyond them.
double inverseErf(double x);

} // namespace sparserl
