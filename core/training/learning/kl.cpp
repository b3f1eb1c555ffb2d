// SPDX-License-Identifier: Apache-2.0
#include "training/learning/kl.h"

#include "training/parameters/enum_names.h"

#include <algorithm>
#include <string>

namespace sparserl {

std::string_view nameOf(KlEstimator estimator)
{
    switch (estimator) {
    case KlEstimator::K1:
        return "k1";
    case KlEstimator::Abs:
        return "abs";
    case KlEstimator::K2:
        return "k2";
    case KlEstimator::K3:
        return "k3";
    }
    return "k1";
}

Result<KlEstimator> klEstimatorFromName(std::string_view name)
{
    return enumNamed(name, {KlEstimator::K1, KlEstimator::Abs, KlEstimator::K2, KlEstimator::K3},
                     "KL estimator");
}

torch::Tensor klPerToken(const LogProb& logp, const RefLogProb& ref, const Mask& mask, KlEstimator estimator)
{
    auto d = masked(logp.tensor - ref.tensor, mask);
    switch (estimator) {
    case KlEstimator::K1:
        return d;
    case KlEstimator::Abs:
        return d.abs();
    case KlEstimator::K2:
        return 0.5 * d * d;
    case KlEstimator::K3: {
        const auto c = d.clamp(-20, 20);
        return (torch::exp(-c) - 1 + c).clamp(-10, 10);
    }
    }
    return d;
}

TokenReward placeRewards(const torch::Tensor& scores, const torch::Tensor& kl, const Mask& mask,
                         double klCoef)
{
    auto rewards = masked(-klCoef * kl.to(scores.scalar_type()), mask);
    // The last valid token is EOS, or the last token where the length limit cut the response off; others may
    // have none before it.
    if (mask.tensor.size(1) == 0)
        return TokenReward(rewards);
    const auto place = torch::arange(1, mask.tensor.size(1) + 1, torch::kInt64);
    const auto last = std::get<0>((place * (mask.tensor > 0)).max(1)) - 1;
    const auto rows = (last >= 0).nonzero().squeeze(1);
    if (rows.numel() > 0)
        rewards.index_put_({rows, last.index_select(0, rows)}, scores.index_select(0, rows),
                           /*accumulate=*/true);
    return TokenReward(rewards);
}

KlController::KlController(double coefficient, double target, double horizon)
    : m_coefficient(coefficient)
    , m_target(target)
    , m_horizon(horizon)
{
}

void KlController::update(double meanKl, std::int64_t samples)
{
    if (m_target <= 0 || m_horizon <= 0)
        return;
    const double error = std::clamp(meanKl / m_target - 1, -0.2, 0.2);
    m_coefficient *= 1 + error * static_cast<double>(samples) / m_horizon;
}

} // namespace sparserl
