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
    Random,        ///< Random sign, magnitude in [0.5, 1.5).
    Ones,          ///< A pattern.
    Constant,      ///< One number everywhere.
    SmallIntegers, ///< -9 to 9, without 0.
    Positive,      ///< Magnitudes in [0.5, 1.5).
    FewDistinct,   ///< Two to six numbers.
    Decaying,      ///< Over ten orders of magnitude.
    TwoSizes,      ///< Half near 1, half below a billionth.
    Tiny,          ///< All within some powers of two, down to subnormal ones.
    Large          ///< All within some powers of two, up to the largest ones.
};
inline constexpr std::size_t valueKindCount = 10;

std::string_view nameOf(ValueKind kind);

/// The pattern with such values.
Csr withValues(const Csr& pattern, ValueKind kind, Rng& rng);
/// With values of one kind, by lot.
Csr withDrawnValues(const Csr& pattern, Rng& rng);

/// The matrix with a few of its values changed, at places that nobody knows: exchanged for other values of
/// it, so that their distribution stays as it is, or for values that it does not have. A program may be for
/// the pattern and shape of a matrix, not for its values (docs/kernel-programs.md).
Csr withChangedValues(const Csr& matrix, Rng& rng);

} // namespace sparserl
