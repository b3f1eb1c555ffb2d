// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

#include <cstdint>
#include <string_view>

namespace sparserl {

/// What values of real matrices are like: test matrices are given such, so that a program cannot tell them
/// from what it is used on.
enum class ValueKind : std::uint8_t
{
    Random,           ///< Random sign, magnitude in [0.5, 1.5).
    Ones,             ///< A pattern.
    Constant,         ///< One number everywhere.
    SmallIntegers,    ///< -9 to 9, without 0.
    Positive,         ///< Magnitudes in [0.5, 1.5).
    FewDistinct,      ///< Two to six numbers.
    Decaying,         ///< Over ten orders of magnitude.
    TwoSizes,         ///< Half near 1, half below a billionth.
    Tiny,             ///< All within some powers of two, down to subnormal ones.
    Large,            ///< All within some powers of two, up to the largest ones.
    Negative,         ///< As Positive, with the other sign.
    Signs,            ///< 1 and -1.
    Zeros,            ///< Of both signs.
    OfRows,           ///< One number for each row, as where rows are divided by their sums.
    OfColumns,        ///< One number for each column.
    FewBits,          ///< Numbers of 8 bits.
    Ascending,        ///< In order.
    Selection,        ///< One power of two a row, else zeros: what x is shows in all its bits.
    Uniform,          ///< In [0, 1).
    Normal,           ///< Normally distributed.
    OverLength,       ///< One over the length of the row, as in a mean of neighbours.
    ZeroSums,         ///< Each row sums to about zero, as of a Laplace operator.
    Bytes,            ///< 0 to 255.
    Brain,            ///< Numbers of 8 significant bits: bfloat16.
    ScaledUp,         ///< As Random, all times one large number.
    ScaledDown,       ///< As Random, all times one small number.
    MostlyPositive,   ///< One in a hundred is negative.
    SomeZeros,        ///< A fifth is zero.
    FirstsLarge,      ///< The first of each row is a thousand times as large.
    DiagonalDominant, ///< The diagonal outweighs the rest of each row.
    Lone,             ///< One number of all bits a row, else zeros: what a value is shows in all of them.
    AllBits ///< Of all bits; rows have scales of their own, and no term of a row is lost beside others.
};
inline constexpr std::size_t valueKindCount = 32;

/// Has a row at most one value that is not zero? Such matrices say little about sums.
constexpr bool isSparser(ValueKind kind)
{
    return kind == ValueKind::Zeros || kind == ValueKind::Selection || kind == ValueKind::Lone;
}

std::string_view nameOf(ValueKind kind);

/// The pattern with such values, in its type.
Csr withValues(const Csr& pattern, ValueKind kind, Rng& rng);
/// With values of AllBits but where the pattern's own are zero, which they stay: what calls are timed with,
/// so that nothing is gained by what values are.
Csr withTimedValues(const Csr& matrix, Rng& rng);
/// With values of one kind or recipe, by lot.
Csr withDrawnValues(const Csr& pattern, Rng& rng);

} // namespace sparserl
