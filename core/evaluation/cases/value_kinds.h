// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

#include <cstdint>
#include <string_view>

namespace sparserl {

/// Kinds of values in real matrices. Test matrices use them, so a program cannot distinguish tests from real
/// use.
enum class ValueKind : std::uint8_t
{
    Random,           ///< Random signs, magnitudes in [0.5, 1.5).
    Ones,             ///< All 1, as in a matrix that is only a pattern.
    Constant,         ///< One number everywhere.
    SmallIntegers,    ///< -9 to 9, without 0.
    Positive,         ///< Positive values in [0.5, 1.5).
    FewDistinct,      ///< All values are one of two to six numbers.
    Decaying,         ///< Values decay over ten orders of magnitude.
    TwoSizes,         ///< Half of the values are near 1, the others below a billionth.
    Tiny,             ///< Tiny values within a few powers of two, down to subnormal numbers.
    Large,            ///< Large values within a few powers of two, up to the largest numbers.
    Negative,         ///< As Positive, with the opposite sign.
    Signs,            ///< All values are 1 or -1.
    Zeros,            ///< All values are zeros, of both signs.
    OfRows,           ///< One number per row, as in row-normalised matrices.
    OfColumns,        ///< One number per column.
    FewBits,          ///< Numbers of 8 bits.
    Ascending,        ///< Values are in ascending order.
    Selection,        ///< One power of two per row, otherwise zeros. Reveals all bits of x.
    Uniform,          ///< In [0, 1).
    Normal,           ///< Normally distributed.
    OverLength,       ///< 1 / (row length), as in a mean of neighbours.
    ZeroSums,         ///< Each row sums to about zero, as in a Laplace operator.
    Bytes,            ///< Integers from 0 to 255.
    Brain,            ///< Numbers of 8 significant bits: bfloat16.
    ScaledUp,         ///< As Random, times one large number.
    ScaledDown,       ///< As Random, times one small number.
    MostlyPositive,   ///< One in a hundred is negative.
    SomeZeros,        ///< A fifth of the values is zero.
    FirstsLarge,      ///< The first value of each row is a thousand times as large.
    DiagonalDominant, ///< The diagonal outweighs the rest of each row.
    Lone,             ///< One number with all bits per row, otherwise zeros. Reveals all bits of a value.
    AllBits ///< Values use all bits. Each row has its own scale, and no term of a row is negligible beside
            ///< the others.
};
inline constexpr std::size_t valueKindCount = 32;

/// Returns whether rows have at most one non-zero value. Such matrices test sums poorly.
constexpr bool isSparser(ValueKind kind)
{
    return kind == ValueKind::Zeros || kind == ValueKind::Selection || kind == ValueKind::Lone;
}

std::string_view nameOf(ValueKind kind);

/// Returns the pattern with values of this kind, in its type.
Csr withValues(const Csr& pattern, ValueKind kind, Rng& rng);
/// Returns the matrix with values of AllBits, except that its zeros stay zero. Timed calls use these values,
/// so that a program gains nothing from special values.
Csr withTimedValues(const Csr& matrix, Rng& rng);
/// Returns the pattern with values of a random kind or recipe.
Csr withDrawnValues(const Csr& pattern, Rng& rng);

} // namespace sparserl
