// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/verdict.h"
#include "matrix/csr.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// What y = A x (or C = A B) is in double precision, and how far a single-precision sum in any order may be
/// from it: c u (nnz_row + 2) sum |a||x| with c = 4, u = 2^-24 (DESIGN 5). TF32 and half precision do not fit
/// in.
struct Reference
{
    std::int64_t columns = 1;
    std::vector<double> values, bounds; ///< rows x columns, row-major.
};

/// `x` has cols x columns elements, row-major.
Reference reference(const Csr& matrix, std::span<const float> x, std::int64_t columns);

/// The first element that is not within its bound, or, with `exact`, not equal to the (integer) value. NaN,
/// which poison is, never fits.
std::optional<WrongElement> firstWrong(std::span<const float> got, const Reference& reference, bool exact);

/// The first element of y3 that is not a y1 + b y2, all exact integers (evaluation.md B.4 #7).
std::optional<WrongElement> firstNonLinear(std::span<const float> y1, std::span<const float> y2,
                                           std::span<const float> y3, double a, double b,
                                           std::int64_t columns);

} // namespace sparserl
