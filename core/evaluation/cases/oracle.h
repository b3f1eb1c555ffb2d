// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"
#include "verdict/record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// What y = A x (or C = A B) is in double precision, and how far a single-precision sum of a row's n products
/// in any order may be from it:
///
///     c u (sqrt(n) + k) ||a o x||_2,    u = 2^-24, c = 6, k = 2,    where x has random signs.
///
/// The argument: an fp32 sum errs by the sum of delta_i s_i over its partial sums s_i, |delta_i| <= u. Signs
/// are random, so |s_i| does not exceed ||a o x||_2 by more than a small factor, whatever the magnitudes, and
/// the delta_i behave as independent numbers of mean zero (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019,
/// and 42(5), 2020; Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 4). Serial sums
/// then err by about 0.3 u sqrt(n) ||a o x||_2, others by less; the worst case of chapter 4, n u sum |a||x|,
/// is never seen. c and k are measured: the largest of 2 million serial sums of a length reaches
/// 3.8 u sqrt(n) ||a o x||_2. k leaves short rows, where every rounding counts, their deterministic bound. A
/// single term left out of a row is found up to millions of terms, values kept with 11 bits up to some ten
/// thousand (exact cases have no such limit). Where values are so small that products leave the normal range,
/// n times its smallest number is added: float atomics flush there.
struct Reference
{
    std::int64_t columns = 1;
    std::vector<double> values, bounds; ///< rows x columns, row-major.
};

/// What a product may lose below the normal range: float atomics flush there, all else rounds to the nearest
/// subnormal number.
constexpr double underflowOf(bool atomics)
{
    return atomics ? 0x1p-126 : 0x1p-149;
}

/// `x` has cols x columns elements, row-major. Its signs must be random and independent for the bounds to
/// mean anything.
Reference reference(const Csr& matrix, std::span<const float> x, std::int64_t columns);

/// How an output compares with what it should be.
struct Comparison
{
    std::optional<WrongElement> wrong; ///< The first element outside its bound.
    double boundShare = 0;             ///< Largest error over bound of the elements before it.
};

/// With `exact`, elements must equal the value and `boundShare` stays 0. NaN, which poison is, never fits.
Comparison compare(std::span<const float> got, const Reference& reference, bool exact);
std::optional<WrongElement> firstWrong(std::span<const float> got, const Reference& reference, bool exact);

/// The first element of y3 that is not a y1 + b y2, all exact (docs/evaluation.md 3 #7).
std::optional<WrongElement> firstNonLinear(std::span<const float> y1, std::span<const float> y2,
                                           std::span<const float> y3, double a, double b,
                                           std::int64_t columns);

} // namespace sparserl
