// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace sparserl {

/// A number by which a call multiplies: y = alpha A x + beta y, C = alpha A B + beta C.
enum class Factor
{
    Alpha,
    Beta
};
inline constexpr std::array allFactors{Factor::Alpha, Factor::Beta};

/// Its name in plans.
constexpr std::string_view nameOf(Factor factor)
{
    return factor == Factor::Alpha ? "alpha" : "beta";
}

constexpr std::optional<Factor> factorFromName(std::string_view name)
{
    for (const Factor factor : allFactors)
        if (name == nameOf(factor))
            return factor;
    return std::nullopt;
}

/// Those of one call, which are numbers of the target's element type. With beta = 0 the old y is not read, so
/// that a NaN there does not reach the result.
struct CallFactors
{
    double alpha = 1, beta = 0;

    constexpr double of(Factor factor) const { return factor == Factor::Alpha ? alpha : beta; }
    bool operator==(const CallFactors&) const = default;
};

/// Which of them a program takes. One that it does not take counts as alpha = 1 or beta = 0.
struct FactorUse
{
    bool alpha = false, beta = false;

    constexpr bool any() const { return alpha || beta; }
    constexpr CallFactors of(const CallFactors& factors) const
    {
        return {alpha ? factors.alpha : 1, beta ? factors.beta : 0};
    }
    bool operator==(const FactorUse&) const = default;
};

} // namespace sparserl
