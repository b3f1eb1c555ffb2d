// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/input_kinds.h"
#include "target/factors.h"

#include <memory>
#include <vector>

namespace sparserl {

/// What alpha and beta of a call are like. Numbers are drawn from a range, never from a list, so that no
/// program can be right for those of the tests alone; the few that callers use most are kinds of their own.
enum class FactorKind : std::uint8_t
{
    Drawn,      ///< Both any number around 1, of either sign.
    Negative,   ///< The same, alpha negative.
    BetaAlone,  ///< Alpha is 1.
    AlphaAlone, ///< Beta is 0.
    Adds,       ///< Beta is 1.
    Subtracts,  ///< Beta is -1.
    Accumulate, ///< Both are 1: y += A x.
    Residual,   ///< Alpha is -1, beta 1: y -= A x.
    Difference, ///< Alpha is 1, beta -1.
    Minus,      ///< Alpha is -1.
    Alike,      ///< Both are the same number, of the same or of the other sign.
    Convex,     ///< Alpha and beta add up to 1.
    MinusZero,  ///< Beta is -0, and y is not read.
    NearOne,    ///< Both are nearly 1: from 2^-8 of it down to what shows in short rows.
    NearMinus,  ///< The same of -1.
    AlphaTiny,  ///< Alpha is below half of the normal exponents.
    AlphaSmall, ///< From there to 1/16.
    AlphaLarge, ///< From 16 to what leaves the result in the type.
    BetaTiny,   ///< The same of beta.
    BetaSmall,
    BetaLarge,     ///< To half of the exponents.
    BetaHuge,      ///< From there on.
    BetaSubnormal, ///< Beta is below the smallest normal number, alpha small.
    Keeps,         ///< Alpha is 0, beta 1: y stays as it is.
    OldAlone,      ///< Alpha is 0.
    Nothing,       ///< Both are 0.
    Huge,          ///< Alpha is as large as the result may be.
    Subnormal,     ///< Alpha is below the smallest normal number, beta 0.
    OldTiny        ///< The same, with a beta around 1 and a y about as small.
};

/// Those that tell a program with these factors from others: each differs from alpha = 1 and beta = 0. Drawn,
/// or what is most like it, comes first.
std::vector<FactorKind> factorKinds(FactorUse use);
/// The first of them, and so many of the others by lot.
std::vector<FactorKind> drawnFactorKinds(FactorUse use, std::size_t others, Rng& rng);

/// A call of y = alpha A x + beta y.
struct ScaledInput
{
    Input input;
    CallFactors by;
    Numbers before; ///< What y holds.
    std::shared_ptr<const Reference> expected;
};

/// A call of a kind. Where beta is not 0, y is about as large as the product, so that neither hides in the
/// other's rounding; where it is 0, y holds NaN, infinities and numbers.
ScaledInput scaledInput(FactorKind kind, FactorUse use, const Csr& matrix, Input input, std::int64_t columns,
                        Rng& rng);

/// A call of each kind in any order, with an input as most calls on a target have it or, half of them, of a
/// special kind. `range`: of the matrix.
std::vector<ScaledInput> scaledInputs(const std::vector<FactorKind>& kinds, FactorUse use, const Csr& matrix,
                                      const InputRange& range, std::int64_t columns, Rng& rng);

/// A call that programs without factors meet as well: half of them, by lot, get a kind of factors, the others
/// alpha = 1 and beta = 0, and `plain` is what they should give. So nothing that is tested with those alone
/// is missing with others.
ScaledInput perhapsScaled(FactorUse use, const Csr& matrix, Input input,
                          std::shared_ptr<const Reference> plain, std::int64_t columns, Rng& rng);

/// The pattern with small integers as values, and calls with small integers in x and y, alpha a power of two
/// and beta a small integer times one: the result has no error in any order.
Csr withSmallIntegers(const Csr& pattern, Rng& rng);
ScaledInput exactScaledInput(FactorUse use, const Csr& integers, std::int64_t columns, Rng& rng);

} // namespace sparserl
