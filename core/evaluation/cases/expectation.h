// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"
#include "target/numbers.h"
#include "verdict/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// The result of comparing an output with its expected value.
struct Comparison
{
    std::optional<WrongElement> wrong; ///< The first element outside its bound.
    double boundShare = 0;             ///< Largest ratio of error to bound among the elements before `wrong`.
};

/// The tolerance for an output.
enum class Tolerance
{
    Exact,  ///< No tolerance; `boundShare` stays 0.
    Bound,  ///< The reference's bound.
    Flushed ///< The bound plus the error of float32 atomics that flush subnormal numbers to zero.
};

/// The expected outputs of a call and their error bounds.
struct Expectation
{
    std::int64_t columns = 1; ///< Elements per row of an output, to report the row and column of an error.

    Expectation() = default;
    Expectation(const Expectation&) = default;
    Expectation(Expectation&&) noexcept = default;
    Expectation& operator=(const Expectation&) = default;
    Expectation& operator=(Expectation&&) noexcept = default;
    virtual ~Expectation() = default;

    /// Returns the number of elements of each output, in the order of the task's tensors (target/workload.h).
    virtual std::vector<std::size_t> outputs() const = 0;
    /// Returns the element type of each output. Empty if all have the type of the target's variant.
    virtual std::vector<ElementType> outputTypes() const { return {}; }
    /// Compares the outputs, whose number must be that of outputs(). NaN, which also marks elements that were
    /// never written, is always wrong.
    virtual Comparison compare(std::span<const NumberView> outputs, Tolerance tolerance) const = 0;
};

/// Returns the first element of y3 that differs from a y1 + b y2. All values must be exact
/// (docs/evaluation.md 3 #7).
std::optional<WrongElement> firstNonLinear(NumberView y1, NumberView y2, NumberView y3, double a, double b,
                                           std::int64_t columns);

} // namespace sparserl
