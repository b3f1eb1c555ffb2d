// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// A quantity that an expression of a reward may name.
struct RewardQuantity
{
    std::string_view name;
    std::string_view words; ///< What it is, with its unit, for documents and help.
};
/// All of them, in the order of the documents.
std::span<const RewardQuantity> rewardQuantities();

/// What an expression is evaluated for, by name of the quantity; those that are left out are 0.
using RewardValues = std::map<std::string_view, double>;

/// A formula of the user for the reward of a program (`reward.expression`), over rewardQuantities(), in
/// muParser's grammar: + - * / ^, comparisons, && ||, `condition ? a : b`, min max abs exp ln sqrt and the
/// like. It has no state, so that equal programs get equal rewards. May be used by several threads.
class RewardExpression
{
public:
    RewardExpression() = default;
    /// Fails with what is wrong and where: unknown names, syntax, longer than `longest`, several values, or a
    /// value that is not finite for one of the usual outcomes.
    static Result<RewardExpression> parse(std::string_view text);
    static constexpr std::size_t longest = 4096; ///< Bytes.

    const std::string& text() const { return m_text; }
    bool uses(std::string_view quantity) const;
    /// Clamped to +-limit, so that no program outweighs all others of a batch. One that has no finite value
    /// gets that of a program that does not compile.
    double value(const RewardValues& values) const;
    static constexpr double limit = 1000;
    /// Where the formula pays a wrong program more than a right one, or one that does not compile more than a
    /// wrong one: a sentence with an example, else empty. Tried on the usual outcomes only.
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
