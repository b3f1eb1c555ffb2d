// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <cstddef>
#include <vector>

namespace sparserl {

/// Divides work between arms in shares that adapt to their rewards, which are in [0, 1] per try. The weight
/// of an arm is its initial share times its reward rate; the rate includes `trust` virtual tries with the
/// rate `prior`, which dominate while there are few real tries. With n open arms:
///   w = first (trust prior + rewards) / (trust + tries),  share = floor + (1 - n floor) w / (sum of all w).
/// Old tries lose weight: each try of an arm multiplies its previous sums by `fading`.
class Bandit
{
public:
    struct Settings
    {
        double floor = 0.01; ///< Smallest share of an arm whose initial share is not zero.
        double prior = 0.03, trust = 30;
        double fading = 0.995;
    };
    Bandit(const std::vector<double>& first, Settings settings);

    std::size_t arms() const { return m_arms.size(); }
    /// Returns the current share of an arm, in [0, 1]. The shares of all arms sum to 1; that of a closed arm
    /// is 0.
    double share(std::size_t arm) const;
    std::size_t draw(Rng& rng) const;
    /// Records one try of an arm and its reward.
    void credit(std::size_t arm, double reward);
    /// The faded sums of an arm's rewards and tries. goOn() restores them.
    struct Sums
    {
        double rewards = 0, tries = 0;
    };
    Sums sums(std::size_t arm) const { return m_arms.at(arm).sums; }
    void goOn(std::size_t arm, const Sums& sums) { m_arms.at(arm).sums = sums; }
    /// Closes an exhausted arm; the others receive its share.
    void close(std::size_t arm) { m_arms.at(arm).first = 0; }

private:
    struct Arm
    {
        double first = 0;
        Sums sums;
    };
    std::vector<double> shares() const;
    Settings m_settings;
    std::vector<Arm> m_arms;
};

} // namespace sparserl
