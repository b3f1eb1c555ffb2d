// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/experience.h"
#include "training/learning/rl_settings.h"
#include "training/learning/tensors.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// The data of an experience that stay constant during its epochs. All tensors are [N, T].
struct LearningTargets
{
    Mask mask;
    OldLogProb old;
    RefLogProb ref;
    OldValue values; ///< Undefined without a critic.
    Advantage advantages;
    Return returns;
    torch::Tensor classWeights;     ///< Aggregation::weights; undefined without token classes.
    torch::Tensor correction;       ///< behaviourWeights; undefined for samples from the policy's own
                                    ///< distribution.
    std::vector<std::int64_t> kept; ///< Responses used for training (all, unless groups are filtered).
};

/// The score of a response at its last token, minus the KL penalty of each token.
struct PenalisedRewards
{
    torch::Tensor kl; ///< KL divergence per token, from the reward's estimator.
    TokenReward perToken;
};
PenalisedRewards penaliseRewards(const Experience& experience, const LearningTargets& targets,
                                 KlEstimator estimator, double coefficient);

/// Sets advantages, returns and class weights with the estimator of the settings. The estimator uses the
/// values if the targets have them, otherwise a baseline.
void estimateAdvantages(const Experience& experience, const TokenReward& rewards, const RlSettings& settings,
                        LearningTargets& targets);

/// The responses used for training: the non-empty ones; if groups are filtered, only those whose group has
/// different scores.
std::vector<std::int64_t> keptResponses(const Experience& experience, bool filterGroups);

} // namespace sparserl
