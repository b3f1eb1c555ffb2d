// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/input_kinds.h"
#include "target/factors.h"

#include <memory>
#include <vector>

namespace sparserl {

/// Kinds of alpha and beta. Numbers are drawn from ranges, never from a list, so no program can be correct
/// only for the tested numbers. The most common pairs of factors are separate kinds.
enum class FactorKind : std::uint8_t
{
    Drawn,      ///< Both are random numbers near 1, of either sign.
    Negative,   ///< As Drawn, with a negative alpha.
    BetaAlone,  ///< Alpha is 1.
    AlphaAlone, ///< Beta is 0.
    Adds,       ///< Beta is 1.
    Subtracts,  ///< Beta is -1.
    Accumulate, ///< Both are 1: y += A x.
    Residual,   ///< Alpha is -1, beta is 1: y -= A x.
    Difference, ///< Alpha is 1, beta is -1.
    Minus,      ///< Alpha is -1.
    Alike,      ///< Both are the same number, with the same or opposite sign.
    Convex,     ///< Alpha and beta sum to 1.
    MinusZero,  ///< Beta is -0, so y must not be read.
    NearOne,    ///< Both are close to 1. They differ from 1 by 2^-8 or less, down to what is still visible in
                ///< short rows.
    NearMinus,  ///< The same, but close to -1.
    AlphaTiny,  ///< Alpha is below half of the normal exponent range.
    AlphaSmall, ///< Alpha is larger, but below 1/16.
    AlphaLarge, ///< Alpha is at least 16, and no product overflows.
    BetaTiny,   ///< Beta is below half of the normal exponent range.
    BetaSmall,
    BetaLarge,     ///< Beta is at most half of the exponent range.
    BetaHuge,      ///< Beta is larger.
    BetaSubnormal, ///< Beta is subnormal, alpha is small.
    Keeps,         ///< Alpha is 0, beta is 1: y is unchanged.
    OldAlone,      ///< Alpha is 0.
    Nothing,       ///< Both are 0.
    Huge,          ///< Alpha is as large as the result allows.
    Subnormal,     ///< Alpha is subnormal, beta is 0.
    OldTiny        ///< As Subnormal, with beta near 1 and y about as small as the product.
};

/// Returns the kinds for a program that takes these factors. Each kind differs from alpha = 1 and beta = 0.
/// The first one is Drawn or, if the program does not take both factors, the kind most like it.
std::vector<FactorKind> factorKinds(FactorUse use);
/// Returns the first of factorKinds() and `others` further kinds at random.
std::vector<FactorKind> drawnFactorKinds(FactorUse use, std::size_t others, Rng& rng);

/// A call of y = alpha A x + beta y.
struct ScaledInput
{
    Input input;
    CallFactors by;
    Numbers before; ///< Initial contents of y.
    std::shared_ptr<const Reference> expected;
};

/// Creates a call with factors of a kind. If beta is not 0, y is about as large as the product, so that
/// neither vanishes in the rounding of the sum. If beta is 0, y contains NaN, infinities and numbers.
ScaledInput scaledInput(FactorKind kind, FactorUse use, const Csr& matrix, Input input, std::int64_t columns,
                        Rng& rng);

/// Creates one call per kind, in random order. Half of the inputs are of the kind that is usual in calls on a
/// target, half are special. `range` is the matrix's.
std::vector<ScaledInput> scaledInputs(const std::vector<FactorKind>& kinds, FactorUse use, const Csr& matrix,
                                      const InputRange& range, std::int64_t columns, Rng& rng);

/// Adds factors to a call that programs without factors also receive. Half of the calls, at random, get
/// factors of some kind. The others get alpha = 1 and beta = 0, and `plain` is their reference. Every test
/// with these defaults thus also occurs with other factors.
ScaledInput perhapsScaled(FactorUse use, const Csr& matrix, Input input,
                          std::shared_ptr<const Reference> plain, std::int64_t columns, Rng& rng);

/// Creates a matrix with small integers as values, and calls for it with small integers in x and y. Alpha is
/// a power of two, and beta a small integer times a power of two, so the result is exact in any order.
Csr withSmallIntegers(const Csr& pattern, Rng& rng);
ScaledInput exactScaledInput(FactorUse use, const Csr& integers, std::int64_t columns, Rng& rng);

} // namespace sparserl
