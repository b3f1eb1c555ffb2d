// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/float32.h"
#include "matrix/csr.h"
#include "verdict/record.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// What is known of the signs of x, which decides how far single-precision sums may be from the truth.
enum class Signs
{
    Random, ///< Independent of one another and of the matrix.
    Any
};

/// What y = A x (or C = A B) is in double precision, and how far a single-precision sum of a row's n products
/// in any order may be from it. n counts products that are not 0: adding zeros rounds nothing. u = 2^-24.
///
///     Signs::Any:     u (n + 4) ||a o x||_1
///     Signs::Random:  that or 6 u (sqrt(n) + 2) ||a o x||_2, whichever is less
///
/// The argument: an fp32 sum errs by the sum of delta_i s_i over its partial sums s_i, |delta_i| <= u. Where
/// signs are random, |s_i| does not exceed ||a o x||_2 by more than a small factor, whatever the magnitudes,
/// and the delta_i behave as independent numbers of mean zero (Higham and Mary, SIAM J. Sci. Comput. 41(5),
/// 2019, and 42(5), 2020; Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 4). Serial
/// sums then err by about 0.3 u sqrt(n) ||a o x||_2, others by less; the worst case of chapter 4,
/// n u sum |a||x|, is never seen. 6 and 2 are measured: the largest of 2 million serial sums of a length
/// reaches 3.8 u sqrt(n) ||a o x||_2. A single term left out of a row is found up to millions of terms,
/// values kept with 11 bits up to some ten thousand (exact cases have no such limit).
///
/// Without random signs the delta_i are not independent: a serial sum of equal products makes the same error
/// in every addition as long as the sum stays between two powers of two. So those have the worst case, which
/// is a theorem, and 4 for programs that scale what they multiply. It is the lesser one of short rows as
/// well, so that a row with one product is right to the last bits.
///
/// Products below the normal range are rounded to multiples of 2^-149, so n times that is added. Float
/// atomics may flush what is below 2^-126: `compare` adds n times that for programs that have them.
///
/// Where a sum of products, in some order, may leave float32 (||a o x||_1 above half of FLT_MAX), no order is
/// the right one: the bound is infinite, and such an element fits whatever it is. Inputs are made so that
/// this does not happen (input_kinds.h).
struct Reference
{
    std::int64_t columns = 1;
    std::vector<double> values, bounds; ///< rows x columns, row-major.
    std::vector<std::int32_t> lengths;  ///< Entries of each row.
};

/// `x` has cols x columns elements, row-major.
Reference reference(const Csr& matrix, std::span<const float> x, std::int64_t columns,
                    Signs signs = Signs::Random);

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
    Flushed ///< And by what float atomics flush to zero.
};

/// NaN, which poison is, never fits (but where the bound is infinite).
Comparison compare(std::span<const float> got, const Reference& reference, Tolerance tolerance);
std::optional<WrongElement> firstWrong(std::span<const float> got, const Reference& reference,
                                       Tolerance tolerance);

/// The first element of y3 that is not a y1 + b y2, all exact (docs/evaluation.md 3 #7).
std::optional<WrongElement> firstNonLinear(std::span<const float> y1, std::span<const float> y2,
                                           std::span<const float> y3, double a, double b,
                                           std::int64_t columns);

} // namespace sparserl
