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

/// What is known about the signs of x. The possible rounding error of sums depends on it.
enum class Signs
{
    Random, ///< The signs are random, independent of one another and of the matrix.
    Same,   ///< Any signs, but the digits are random, so rounding errors are independent of one another.
    Any
};

/// The value of y = A x (or C = A B), and its error bound. The bound is for sums of a row's n products in the
/// matrix's type and in any order. n counts non-zero products, because adding zeros does not round. For
/// float32, u = 2^-24, and the reference sums in double precision. For float64, u = 2^-53, and the reference
/// sums in x87's format of 64 bits and keeps what exceeds a double.
///
///     Signs::Any:     u (n + 4) ||a o x||_1
///     Signs::Random:  the same or 6 u (sqrt(n) + 2) ||a o x||_2, whichever is less
///     Signs::Same:    the same or 2 u (sqrt(n) + 2) ||a o x||_1, whichever is less
///
/// The error of the sum is the sum of delta_i s_i over its partial sums s_i, with |delta_i| <= u. With random
/// signs, |s_i| exceeds ||a o x||_2 by at most a small factor, whatever the magnitudes, and the delta_i
/// behave like independent numbers of mean zero (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019, and
/// 42(5), 2020; Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 4). Serial sums then
/// err by about 0.3 u sqrt(n) ||a o x||_2, other orders by less. The worst case of chapter 4, n u sum |a||x|,
/// was never observed. The factors 6 and 2 are empirical: the largest error among 2 million serial sums of
/// one length is 3.8 u sqrt(n) ||a o x||_2. The bound detects a single omitted term in rows of up to millions
/// of terms, and values stored with 11 bits in rows of up to some ten thousand (exact cases have no such
/// limit).
///
/// With Signs::Same, a partial sum may be as large as ||a o x||_1, and the delta_i are independent as above.
/// The largest error among 200,000 serial sums of about 200 products of one sign is 1.2 u (sqrt(n) + 2) ||a o
/// x||_1. Sums rounded toward zero reach 2.1 times this expression at 100 products and 3.5 times at 200: they
/// err by about n u / 3 ||a o x||_1.
///
/// A row with a single product must yield exactly that product if the type can represent it.
///
/// Without random signs, the delta_i are not independent: a serial sum of equal products makes the same error
/// in every addition while the sum stays between two powers of two. The bound is then the worst case, which
/// is a theorem, with n + 4 instead of n for programs that scale their operands. For short rows, this is also
/// the smaller bound, so a row with one product must be correct to the last bits.
///
/// Products below the normal range are rounded to multiples of 2^-149 (2^-1074), so the bound includes n
/// times 2^-149 (2^-1074). float32 atomics may flush numbers below 2^-126 to zero. For programs that use
/// them, compare() adds n times 2^-126. float64 atomics flush nothing.
///
/// If a sum of products may overflow in some order (||a o x||_1 above half of the largest number), no order
/// is more correct than another: the bound is infinite, and any value of the element is accepted. Inputs are
/// constructed to avoid this (input_kinds.h).
struct Reference : Expectation
{
    std::vector<double> values, bounds; ///< rows x columns, row-major.
    std::vector<double> rests;          ///< For float64, the exact value minus `values`. Empty for float32.
    /// Number of summands in each row: its entries and, if used, the old y.
    std::vector<std::int32_t> lengths;

    std::vector<std::size_t> outputs() const override { return {values.size()}; }
    Comparison compare(std::span<const NumberView> outputs, Tolerance tolerance) const override;
};

/// Computes the reference. `x` has cols x columns elements of the matrix's type, row-major.
Reference reference(const Csr& matrix, NumberView x, std::int64_t columns, Signs signs = Signs::Random);

/// Compares an output with its reference. NaN, which also marks elements that were never written, is wrong
/// unless the bound is infinite.
Comparison compare(NumberView got, const Reference& reference, Tolerance tolerance);
std::optional<WrongElement> firstWrong(NumberView got, const Reference& reference, Tolerance tolerance);

} // namespace sparserl
