// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/numbers.h"
#include "verdict/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// How an output compares with what it should be.
struct Comparison
{
    std::optional<WrongElement> wrong; ///< The first element outside its bound.
    double boundShare = 0;             ///< Largest error over bound of the elements before it.
};

/// What an output may differ by.
enum class Tolerance
{
    Exact,  ///< By nothing; `boundShare` stays 0.
    Bound,  ///< By the reference's bound.
    Flushed ///< And by what atomics of float32 flush to zero.
};

/// What the outputs of a call should be, and how far they may be from it.
struct Expectation
{
    std::int64_t columns = 1; ///< Elements of a row of an output: a wrong one is named by row and column.

    Expectation() = default;
    Expectation(const Expectation&) = default;
    Expectation(Expectation&&) noexcept = default;
    Expectation& operator=(const Expectation&) = default;
    Expectation& operator=(Expectation&&) noexcept = default;
    virtual ~Expectation() = default;

    /// Elements of each output, in the order of the task's tensors (target/workload.h).
    virtual std::vector<std::size_t> outputs() const = 0;
    /// Of as many outputs. NaN, which poison is, never fits.
    virtual Comparison compare(std::span<const NumberView> outputs, Tolerance tolerance) const = 0;
};

/// The first element of y3 that is not a y1 + b y2, all exact (docs/evaluation.md 3 #7).
std::optional<WrongElement> firstNonLinear(NumberView y1, NumberView y2, NumberView y3, double a, double b,
                                           std::int64_t columns);

} // namespace sparserl
