// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace sparserl {

/// A scalar factor of a call: y = alpha A x + beta y, C = alpha A B + beta C.
enum class Factor
{
    Alpha,
    Beta
};
inline constexpr std::array allFactors{Factor::Alpha, Factor::Beta};

/// Returns the name of a factor in plans.
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

/// The factors of one call, which have the target's element type. If beta is 0, the old y is not read, so a
/// NaN in the old y does not reach the result.
struct CallFactors
{
    double alpha = 1, beta = 0;

    constexpr double of(Factor factor) const { return factor == Factor::Alpha ? alpha : beta; }
    bool operator==(const CallFactors&) const = default;
};

/// The factors that a program takes. If it does not take them, alpha is 1 and beta is 0.
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
