// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/experience.h"
#include "training/learning/rl_settings.h"
#include "training/learning/tensors.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// Everything about an experience that stays the same during its epochs. All [N, T].
struct LearningTargets
{
    Mask mask;
    OldLogProb old;
    RefLogProb ref;
    OldValue values; ///< Undefined without a critic.
    Advantage advantages;
    Return returns;
    torch::Tensor classWeights;     ///< Aggregation::weights; undefined without token classes.
    torch::Tensor correction;       ///< behaviourWeights; undefined where samples are the policy's own.
    std::vector<std::int64_t> kept; ///< Responses that take part (all, unless groups are filtered).
};

/// The score of a response at its last token, less the KL penalty of each token.
struct PenalisedRewards
{
    torch::Tensor kl; ///< Per token, by the estimator of the rewards.
    TokenReward perToken;
};
PenalisedRewards penaliseRewards(const Experience& experience, const LearningTargets& targets,
                                 KlEstimator estimator, double coefficient);

/// Sets advantages, returns and class weights, as the settings' estimator has them: with values where the
/// targets have them, else against a baseline.
void estimateAdvantages(const Experience& experience, const TokenReward& rewards, const RlSettings& settings,
                        LearningTargets& targets);

/// The responses that are learned from: those that are not empty and, where groups are filtered, whose group
/// has different scores.
std::vector<std::int64_t> keptResponses(const Experience& experience, bool filterGroups);

} // namespace sparserl
