// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/expectation.h"
#include "matrix/csr.h"
#include "target/numbers.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// What is known of the signs of x, which decides how far single-precision sums may be from the truth.
enum class Signs
{
    Random, ///< Independent of one another and of the matrix.
    Same,   ///< Any, but digits are random: errors of additions are independent of one another.
    Any
};

/// What y = A x (or C = A B) is, and how far a sum of a row's n products in the matrix's type and in any
/// order may be from it. n counts products that are not 0: adding zeros rounds nothing. For float32 u =
/// 2^-24, and the sums are taken in double precision; for float64 u = 2^-53, and they are taken in the 64
/// bits of x87, whose rest beyond a double is kept.
///
///     Signs::Any:     u (n + 4) ||a o x||_1
///     Signs::Random:  that or 6 u (sqrt(n) + 2) ||a o x||_2, whichever is less
///     Signs::Same:    that or 2 u (sqrt(n) + 2) ||a o x||_1, whichever is less
///
/// The argument: such a sum errs by the sum of delta_i s_i over its partial sums s_i, |delta_i| <= u. Where
/// signs are random, |s_i| does not exceed ||a o x||_2 by more than a small factor, whatever the magnitudes,
/// and the delta_i behave as independent numbers of mean zero (Higham and Mary, SIAM J. Sci. Comput. 41(5),
/// 2019, and 42(5), 2020; Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 4). Serial
/// sums then err by about 0.3 u sqrt(n) ||a o x||_2, others by less; the worst case of chapter 4,
/// n u sum |a||x|, is never seen. 6 and 2 are measured: the largest of 2 million serial sums of a length
/// reaches 3.8 u sqrt(n) ||a o x||_2. A single term left out of a row is found up to millions of terms,
/// values kept with 11 bits up to some ten thousand (exact cases have no such limit).
///
/// With Signs::Same a partial sum may be as large as ||a o x||_1, and the delta_i are independent as above.
/// The largest of 200,000 serial sums of about 200 products of one sign reaches 1.2 u (sqrt(n) + 2) ||a o
/// x||_1. Sums rounded toward zero reach 2.1 times it at 100 products and 3.5 at 200: they err by about
/// n u / 3 ||a o x||_1.
///
/// A row with one product that is a number of the type must have that number: nothing is rounded.
///
/// Without random signs the delta_i are not independent: a serial sum of equal products makes the same error
/// in every addition as long as the sum stays between two powers of two. So those have the worst case, which
/// is a theorem, and 4 for programs that scale what they multiply. It is the lesser one of short rows as
/// well, so that a row with one product is right to the last bits.
///
/// Products below the normal range are rounded to multiples of 2^-149 (2^-1074), so n times that is added.
/// Atomics of float32 may flush what is below 2^-126: `compare` adds n times that for programs that have
/// them. Those of float64 flush nothing.
///
/// Where a sum of products, in some order, may leave the type (||a o x||_1 above half of its largest number),
/// no order is the right one: the bound is infinite, and such an element fits whatever it is. Inputs are made
/// so that this does not happen (input_kinds.h).
struct Reference : Expectation
{
    std::vector<double> values, bounds; ///< rows x columns, row-major.
    std::vector<double> rests;          ///< Of float64: what is more than `values`. Of float32: none.
    std::vector<std::int32_t> lengths;  ///< Summands of each row: its entries, and an old y.

    std::vector<std::size_t> outputs() const override { return {values.size()}; }
    Comparison compare(std::span<const NumberView> outputs, Tolerance tolerance) const override;
};

/// `x` has cols x columns elements of the matrix's type, row-major.
Reference reference(const Csr& matrix, NumberView x, std::int64_t columns, Signs signs = Signs::Random);

/// NaN, which poison is, never fits (but where the bound is infinite).
Comparison compare(NumberView got, const Reference& reference, Tolerance tolerance);
std::optional<WrongElement> firstWrong(NumberView got, const Reference& reference, Tolerance tolerance);

} // namespace sparserl
