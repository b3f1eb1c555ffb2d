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
    Constant, ///< `first` everywhere.
    Uniform,  ///< In [first, second).
    Normal,   ///< Mean `first`, standard deviation `second`.
    Integers  ///< Whole numbers in [first, second).
};

/// What is done with each element of a tensor after it was drawn.
enum class FillOperation
{
    Add,
    Multiply,
    Divide,
    AtLeast, ///< The larger of the element and the number.
    AtMost,
    Equal, ///< This and the next five: 1 if it holds, else 0.
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LowerTriangle, ///< Zero above the diagonal with this number in the last two dimensions.
    UpperTriangle, ///< Zero below it.
    Softmax,       ///< In the last dimension; has no number, as the rest.
    Cut,           ///< To a whole number, towards zero.
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

/// A recipe for the elements of a tensor, instead of the elements themselves.
struct Fill
{
    static constexpr std::size_t mostSteps = 32;

    FillKind kind = FillKind::Constant;
    double first = 0, second = 0;
    std::vector<FillStep> then = {}; ///< One after another.

    bool operator==(const Fill&) const = default;
};

/// {"constant": 0}, {"uniform": [0, 1]}, {"normal": [0, 0.02]}, {"integers": [0, 10]}, with steps in "then":
/// [{"mul": 2}, "softmax"].
nlohmann::json toJson(const Fill& fill);
/// Numbers must be finite, bounds in order, a deviation not negative.
Result<Fill> fillFromJson(const nlohmann::json& json);

/// Draws elements of one row (the last dimension) of a tensor: row number `row` of its matrix, from column
/// `column` on. A fill with Softmax needs the whole row.
void fillRow(const Fill& fill, std::int64_t row, std::int64_t column, std::span<double> elements, Rng& rng);

/// y with erf(y) = x; infinite at -1 and 1, not a number beyond.
double inverseErf(double x);

} // namespace sparserl
