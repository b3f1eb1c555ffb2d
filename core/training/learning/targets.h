// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/experience.h"
#include "training/learning/rl_settings.h"
#include "training/learning/tensors.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// The data of an experience that stay the same during all of its epochs. All tensors are [N, T].
struct LearningTargets
{
    Mask mask;
    OldLogProb old;
    RefLogProb ref;
    OldValue values; ///< Undefined without a critic.
    Advantage advantages;
    Return returns;
    torch::Tensor classWeights;     ///< Aggregation::weights; undefined without token classes.
    torch::Tensor correction;       ///< behaviourWeights(); undefined for samples from the policy's own
                                    ///< distribution.
    std::vector<std::int64_t> kept; ///< Responses used for training (all, unless groups are filtered).
};

/// Token rewards: the score at the last token of a response, minus the KL penalty at each token.
struct PenalisedRewards
{
    torch::Tensor kl; ///< Estimated KL divergence of each token.
    TokenReward perToken;
};
PenalisedRewards penaliseRewards(const Experience& experience, const LearningTargets& targets,
                                 KlEstimator estimator, double coefficient);

/// Sets advantages, returns and class weights with the estimator of the settings. The estimator uses the
/// values if the targets have values, otherwise a baseline.
void estimateAdvantages(const Experience& experience, const TokenReward& rewards, const RlSettings& settings,
                        LearningTargets& targets);

/// Returns the responses that are used for training: all that are not empty. With `filterGroups`, only those
/// whose group has different scores.
std::vector<std::int64_t> keptResponses(const Experience& experience, bool filterGroups);

} // namespace sparserl
