// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/input_kinds.h"
#include "target/factors.h"

#include <memory>
#include <vector>

namespace sparserl {

/// Kinds of alpha and beta. Numbers are drawn from a range, never from a list, so no program can be correct
/// only for the tested numbers. The most common factors are kinds of their own.
enum class FactorKind : std::uint8_t
{
    Drawn,      ///< Both are random numbers near 1, of either sign.
    Negative,   ///< The same with negative alpha.
    BetaAlone,  ///< Alpha is 1.
    AlphaAlone, ///< Beta is 0.
    Adds,       ///< Beta is 1.
    Subtracts,  ///< Beta is -1.
    Accumulate, ///< Both are 1: y += A x.
    Residual,   ///< Alpha is -1, beta 1: y -= A x.
    Difference, ///< Alpha is 1, beta is -1.
    Minus,      ///< Alpha is -1.
    Alike,      ///< Both are the same number, with the same or opposite sign.
    Convex,     ///< Alpha and beta sum to 1.
    MinusZero,  ///< Beta is -0; y is not read.
    NearOne,    ///< Both are close to 1: the difference is from 2^-8 down to the smallest visible in short
                ///< rows.
    NearMinus,  ///< The same near -1.
    AlphaTiny,  ///< Alpha is below half of the normal exponent range.
    AlphaSmall, ///< Alpha is between that and 1/16.
    AlphaLarge, ///< Alpha is from 16 up to the largest without overflow.
    BetaTiny,   ///< Beta like AlphaTiny.
    BetaSmall,
    BetaLarge,     ///< Beta up to half of the exponent range.
    BetaHuge,      ///< Beta beyond that.
    BetaSubnormal, ///< Beta is subnormal, alpha is small.
    Keeps,         ///< Alpha is 0, beta is 1: y is unchanged.
    OldAlone,      ///< Alpha is 0.
    Nothing,       ///< Both are 0.
    Huge,          ///< Alpha is as large as the result allows.
    Subnormal,     ///< Alpha is subnormal, beta is 0.
    OldTiny        ///< The same with beta near 1 and y about as small as the product.
};

/// The kinds that distinguish a program with these factors from others: each differs from alpha = 1 and beta
/// = 0. Drawn, or the kind most like it, comes first.
std::vector<FactorKind> factorKinds(FactorUse use);
/// The first of these kinds, and `others` further ones at random.
std::vector<FactorKind> drawnFactorKinds(FactorUse use, std::size_t others, Rng& rng);

/// A call of y = alpha A x + beta y.
struct ScaledInput
{
    Input input;
    CallFactors by;
    Numbers before; ///< Initial contents of y.
    std::shared_ptr<const Reference> expected;
};

/// A call of a kind. If beta is not 0, y is about as large as the product, so neither disappears in the
/// other's rounding. If it is 0, y holds NaN, infinities and numbers.
ScaledInput scaledInput(FactorKind kind, FactorUse use, const Csr& matrix, Input input, std::int64_t columns,
                        Rng& rng);

/// One call per kind in random order. Half of the inputs are of the usual kind for calls on a target, half
/// are special. `range`: of the matrix.
std::vector<ScaledInput> scaledInputs(const std::vector<FactorKind>& kinds, FactorUse use, const Csr& matrix,
                                      const InputRange& range, std::int64_t columns, Rng& rng);

/// A call that programs without factors also receive. Half of the calls at random get a kind of factors. The
/// others get alpha = 1 and beta = 0 with `plain` as their reference. Every test with these defaults thus
/// also occurs with other factors.
ScaledInput perhapsScaled(FactorUse use, const Csr& matrix, Input input,
                          std::shared_ptr<const Reference> plain, std::int64_t columns, Rng& rng);

/// The pattern with small integers as values, and calls with small integers in x and y, where alpha is a
/// power of two and beta a small integer times a power of two: the result is exact in any order.
Csr withSmallIntegers(const Csr& pattern, Rng& rng);
ScaledInput exactScaledInput(FactorUse use, const Csr& integers, std::int64_t columns, Rng& rng);

} // namespace sparserl
