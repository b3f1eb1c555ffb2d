// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// A quantity that a reward expression may use.
struct RewardQuantity
{
    std::string_view name;
    std::string_view words; ///< Meaning and unit, for the documentation and help texts.
};
/// Returns all quantities in the order in which the documentation lists them.
std::span<const RewardQuantity> rewardQuantities();

/// The values of quantities by name. Missing quantities are 0.
using RewardValues = std::map<std::string_view, double>;

/// The user's formula for the reward of a program (`reward.expression`). It uses rewardQuantities() and
/// muParser's grammar: + - * / ^, comparisons, && ||, `condition ? a : b`, min max abs exp ln sqrt and
/// similar functions. It has no state, so equal programs get equal rewards. Several threads may use it at the
/// same time.
class RewardExpression
{
public:
    RewardExpression() = default;
    /// Parses a formula. Fails if the text has an unknown name, a syntax error or more than `longest` bytes,
    /// if it yields several values, or if its value is not finite for one of the usual outcomes. The Error
    /// says what is wrong and where.
    static Result<RewardExpression> parse(std::string_view text);
    static constexpr std::size_t longest = 4096; ///< Maximum length in bytes.

    const std::string& text() const { return m_text; }
    bool uses(std::string_view quantity) const;
    /// Returns the reward, clamped to +-limit so that no program outweighs all others of a batch. If the
    /// value is not finite, returns the reward of a program that does not compile.
    double value(const RewardValues& values) const;
    static constexpr double limit = 1000;
    /// Returns a sentence with an example if the formula pays a wrong program at least as much as a correct
    /// one, or pays a program that does not compile more than a wrong one. Otherwise returns an empty text.
    /// Considers the usual outcomes only.
    std::string orderWarning() const;

private:
    explicit RewardExpression(std::string text)
        : m_text(std::move(text))
    {
    }
    std::string m_text;
    std::map<std::string, bool, std::less<>> m_uses;
};

} // namespace sparserl
