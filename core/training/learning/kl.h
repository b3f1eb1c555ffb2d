// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/learning/tensors.h"

#include <string_view>
#include <vector>

namespace sparserl {

/// Estimators of KL(policy || reference) from d = logp - ref, for tokens that were sampled from the policy
/// (Schulman, "Approximating KL divergence"; DeepSeek-Math for k3).
enum class KlEstimator
{
    K1,  ///< d: unbiased, but may be negative for a token
    Abs, ///< |d|: biased
    K2,  ///< d^2 / 2: biased as an estimate, but its gradient is correct
    K3 ///< exp(-d) - 1 + d: unbiased, never negative. Clamped as in verl's "low_var_kl": d to +-20, the value
       ///< to +-10
};
std::string_view nameOf(KlEstimator estimator); ///< "k1", "abs", "k2", "k3"
Result<KlEstimator> klEstimatorFromName(std::string_view name);

/// Estimates the KL divergence of each token; 0 outside the mask.
torch::Tensor klPerToken(const LogProb& logp, const RefLogProb& ref, const Mask& mask, KlEstimator estimator);

/// Computes r_t = -klCoef * kl_t, plus the score at the last token of each response. `scores` is [B].
TokenReward placeRewards(const torch::Tensor& scores, const torch::Tensor& kl, const Mask& mask,
                         double klCoef);

/// The adaptive coefficient of the KL penalty (Ziegler et al. 2019, section 2.2). After n samples with a mean
/// KL divergence kl, coef *= 1 + clip(kl / target - 1, -0.2, 0.2) * n / horizon. If `target` is 0, the
/// coefficient stays fixed.
class KlController
{
public:
    KlController(double coefficient, double target, double horizon);
    double coefficient() const { return m_coefficient; }
    void setCoefficient(double coefficient) { m_coefficient = coefficient; }
    void update(double meanKl, std::int64_t samples);

private:
    double m_coefficient;
    double m_target;
    double m_horizon;
};

} // namespace sparserl
