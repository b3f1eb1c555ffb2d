// SPDX-License-Identifier: Apache-2.0
#include "search/bandit.h"

namespace sparserl {

Bandit::Bandit(const std::vector<double>& first, Settings settings)
    : m_settings(settings)
{
    for (const double share : first)
        m_arms.push_back({share, {}});
}

std::vector<double> Bandit::shares() const
{
    std::vector<double> shares;
    double sum = 0;
    int open = 0;
    for (const Arm& arm : m_arms) {
        shares.push_back(arm.first * (m_settings.trust * m_settings.prior + arm.sums.rewards) /
                         (m_settings.trust + arm.sums.tries));
        sum += shares.back();
        open += arm.first > 0 ? 1 : 0;
    }
    for (double& share : shares) {
        if (share > 0 && sum > 0)
            share = m_settings.floor + (1 - open * m_settings.floor) * share / sum;
    }
    return shares;
}

double Bandit::share(std::size_t arm) const
{
    return shares().at(arm);
}

std::size_t Bandit::draw(Rng& rng) const
{
    return rng.pick(shares());
}

void Bandit::credit(std::size_t arm, double reward)
{
    Sums& one = m_arms.at(arm).sums;
    one.rewards = one.rewards * m_settings.fading + reward;
    one.tries = one.tries * m_settings.fading + 1;
}

} // namespace sparserl
