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
    Advantage advantages; ///< 0 outside the mask; not whitened.
    Return returns;       ///< advantages + values; 0 outside the mask.
};

/// Generalised advantage estimation (Schulman et al. 2016): delta_t = r_t + gamma V_{t+1} - V_t, A_t =
/// delta_t + gamma lambda A_{t+1}. Skips tokens with mask 0: V and A of the next token with mask 1 are
/// carried through, and nothing bootstraps from after the last one.
GaeResult gae(const TokenReward& rewards, const OldValue& values, const Mask& mask, double gamma,
              double lambda);

/// (x - mean) / sqrt(var + 1e-8) over all tokens of the mask, with unbiased variance; 0 outside the mask. For
/// a single token, the variance is 1.
Advantage whiten(const Advantage& advantages, const Mask& mask);

/// The same separately for the tokens of each group of responses; `group[i]` is the group of row i. The
/// variance has 1e-8 added, so a group with equal advantages gets 0.
Advantage whitenByGroup(const Advantage& advantages, const Mask& mask, std::span<const std::int64_t> group);

enum class GroupBaseline
{
    Grpo,              ///< (r - mean) / (std + eps), unbiased std (DeepSeek-Math)
    DrGrpo,            ///< r - mean (Dr.GRPO, TritonRL)
    Rloo,              ///< (r - mean) n / (n - 1): leave one out (Ahmadian et al. 2024)
    ReinforcePlusPlus, ///< discounted return of score and KL penalty, whitened over the batch
    ReinforceBaseline, ///< REINFORCE++-baseline: r - mean of the group, then whitened over the batch
    MaxAtK,            ///< contribution of a response to the best of k: see maxAtKAdvantages
    SelfCritical       ///< r minus the reward of the greedy program (Rennie et al. 2017; CodeRL; ReMax)
};

/// One advantage per response for the group estimators Grpo, DrGrpo and Rloo (and the centred score of
/// ReinforceBaseline before whitening). `group[i]` is the group of response i. A group of one gets mean 0,
/// std 1 in Grpo (as in verl) and advantage 0 in the others.
std::vector<double> groupAdvantages(std::span<const double> scores, std::span<const std::int64_t> group,
                                    GroupBaseline baseline, double epsilon = 1e-6);

/// Optimizes the best of k responses instead of the mean: k times the mean, over all choices of k - 1 other
/// responses of the group, of max(0, r - the best of them). The group mean of advantage times gradient of the
/// log-probability is an unbiased estimate of the gradient of E[max of k] (PKPO, Walder and Karkhanis 2025,
/// with the leave-one-out baseline). A smaller group is treated as k; a group of one gets 0. `k` >= 2.
std::vector<double> maxAtKAdvantages(std::span<const double> scores, std::span<const std::int64_t> group,
                                     std::int64_t k);

/// Per-token discounted sum of rewards to the end of the response. The caller whitens it over the batch.
Return discountedReturns(const TokenReward& rewards, const Mask& mask, double gamma);

/// Every token of a response gets the response's advantage.
Advantage broadcastAdvantages(std::span<const double> perResponse, const Mask& mask);

/// TritonRL eq. 1 and 2: plan tokens (`plan` [B, T], 1 or 0) get their response's plan advantage, the other
/// tokens of the mask get its code advantage.
Advantage classAdvantages(std::span<const double> planAdvantages, std::span<const double> codeAdvantages,
                          const torch::Tensor& plan, const Mask& mask);
/// Aggregation::weights of both classes: planWeight / |plan tokens of the response| and 1 / |its code
/// tokens|.
torch::Tensor classWeights(const torch::Tensor& plan, const Mask& mask, double planWeight);

/// Groups with at least two different scores, in ascending order: the groups that a group estimator learns
/// from.
std::vector<std::int64_t> groupsWithSignal(std::span<const double> scores,
                                           std::span<const std::int64_t> group);

/// Fraction of groups with equal scores, which yield no gradient in group estimators.
double fractionZeroStd(std::span<const double> scores, std::span<const std::int64_t> group);

} // namespace sparserl
