// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/learning/tensors.h"

#include <span>
#include <string_view>
#include <vector>

namespace sparserl {

struct GaeResult
{
    Advantage advantages; ///< 0 outside the mask. Not whitened.
    Return returns;       ///< advantages + values; 0 outside the mask.
};

/// Generalised advantage estimation (Schulman et al. 2016): delta_t = r_t + gamma V_{t+1} - V_t, A_t =
/// delta_t + gamma lambda A_{t+1}. Skips tokens with mask 0: t + 1 is the next token with mask 1. After the
/// last such token, V and A are 0.
GaeResult gae(const TokenReward& rewards, const OldValue& values, const Mask& mask, double gamma,
              double lambda);

/// Returns (x - mean) / sqrt(var + 1e-8), with mean and unbiased variance over all tokens of the mask; 0
/// outside the mask. For a single token, the variance is 1.
Advantage whiten(const Advantage& advantages, const Mask& mask);

/// Whitens the tokens of each group of responses separately; `group[i]` is the group of row i. Because 1e-8
/// is added to the variance, a group with equal advantages gets 0.
Advantage whitenByGroup(const Advantage& advantages, const Mask& mask, std::span<const std::int64_t> group);

enum class GroupBaseline
{
    Grpo,              ///< (r - mean) / (std + eps) with unbiased std (DeepSeek-Math)
    DrGrpo,            ///< r - mean (Dr.GRPO, TritonRL)
    Rloo,              ///< (r - mean) n / (n - 1), leave-one-out (Ahmadian et al. 2024)
    ReinforcePlusPlus, ///< the discounted return of score and KL penalty, whitened over the batch
    ReinforceBaseline, ///< REINFORCE++-baseline: r - mean of the group, then whitened over the batch
    MaxAtK,            ///< the response's contribution to the best of k (see maxAtKAdvantages)
    SelfCritical       ///< r minus the reward of the greedy program (Rennie et al. 2017; CodeRL; ReMax)
};

/// Computes one advantage per response for the group estimators Grpo, DrGrpo and Rloo (for ReinforceBaseline,
/// the centred score before whitening). `group[i]` is the group of response i. In a group of one response,
/// Grpo uses mean 0 and std 1 (as verl does), and the other estimators give the advantage 0.
std::vector<double> groupAdvantages(std::span<const double> scores, std::span<const std::int64_t> group,
                                    GroupBaseline baseline, double epsilon = 1e-6);

/// Computes advantages that optimise the best of k responses instead of the mean. The advantage is k times
/// the mean of max(0, r - best) over all choices of k - 1 other responses of the group, where best is the
/// highest reward among these. The group mean of (advantage * gradient of the log-probability) is an unbiased
/// estimate of the gradient of E[max of k] (PKPO, Walder and Karkhanis 2025, with the leave-one-out
/// baseline). If a group has fewer than k responses, k is its size. A group of one gets 0. `k` must be at
/// least 2.
std::vector<double> maxAtKAdvantages(std::span<const double> scores, std::span<const std::int64_t> group,
                                     std::int64_t k);

/// Returns, for each token, the discounted sum of rewards from this token to the end of the response.
Return discountedReturns(const TokenReward& rewards, const Mask& mask, double gamma);

/// Gives each token of a response the response's advantage.
Advantage broadcastAdvantages(std::span<const double> perResponse, const Mask& mask);

/// Gives plan tokens the plan advantage of their response, and the other tokens of the mask the code
/// advantage (TritonRL eq. 1 and 2). `plan` is [B, T]: 1 for a plan token, otherwise 0.
Advantage classAdvantages(std::span<const double> planAdvantages, std::span<const double> codeAdvantages,
                          const torch::Tensor& plan, const Mask& mask);
/// Returns Aggregation::weights for both classes: planWeight / (number of plan tokens in the response) for a
/// plan token, 1 / (number of code tokens in the response) for a code token.
torch::Tensor classWeights(const torch::Tensor& plan, const Mask& mask, double planWeight);

/// Returns the groups with at least two different scores, in ascending order. Group estimators learn only
/// from these groups.
std::vector<std::int64_t> groupsWithSignal(std::span<const double> scores,
                                           std::span<const std::int64_t> group);

/// Returns the fraction of groups whose scores are all equal. Group estimators get no gradient from these.
double fractionZeroStd(std::span<const double> scores, std::span<const std::int64_t> group);

} // namespace sparserl
