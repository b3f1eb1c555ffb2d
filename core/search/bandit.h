// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <cstddef>
#include <vector>

namespace sparserl {

/// Shares of work between arms that adapt to what pays. An arm's weight is its first share times its rate of
/// reward (in [0, 1] for each try), where `trust` tries at the rate `prior` stand for what is not known yet:
///   w = first (trust prior + rewards) / (trust + tries),  share = floor + (1 - arms floor) w / sum of w.
/// Old tries fade: each try of an arm multiplies what it had before by `fading`.
class Bandit
{
public:
    struct Settings
    {
        double floor = 0.01; ///< Of each arm whose first share is not 0.
        double prior = 0.03, trust = 30;
        double fading = 0.995;
    };
    Bandit(const std::vector<double>& first, Settings settings);

    std::size_t arms() const { return m_arms.size(); }
    /// In [0, 1]; they add up to 1. An arm that is closed has 0.
    double share(std::size_t arm) const;
    std::size_t draw(Rng& rng) const;
    /// One try of an arm, and what it paid.
    void credit(std::size_t arm, double reward);
    /// An arm that has nothing more to give: the others get its share.
    void close(std::size_t arm) { m_arms.at(arm).first = 0; }

private:
    struct Arm
    {
        double first = 0, rewards = 0, tries = 0;
    };
    std::vector<double> shares() const;
    Settings m_settings;
    std::vector<Arm> m_arms;
};

} // namespace sparserl
