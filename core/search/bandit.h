// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <cstddef>
#include <vector>

namespace sparserl {

/// Adaptive shares of work between arms. An arm's weight is its initial share times its reward rate (in [0,
/// 1] per try), where `trust` virtual tries with rate `prior` represent missing knowledge:
///   w = first (trust prior + rewards) / (trust + tries),  share = floor + (1 - arms floor) w / sum of w.
/// Old tries decay: each try of an arm multiplies its previous sums by `fading`.
class Bandit
{
public:
    struct Settings
    {
        double floor = 0.01; ///< For each arm with a non-zero initial share.
        double prior = 0.03, trust = 30;
        double fading = 0.995;
    };
    Bandit(const std::vector<double>& first, Settings settings);

    std::size_t arms() const { return m_arms.size(); }
    /// In [0, 1]; the shares sum to 1. A closed arm has 0.
    double share(std::size_t arm) const;
    std::size_t draw(Rng& rng) const;
    /// Records one try of an arm with its reward.
    void credit(std::size_t arm, double reward);
    /// What is known of an arm; goOn() restores it.
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
