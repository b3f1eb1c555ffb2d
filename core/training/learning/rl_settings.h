// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "training/learning/advantages.h"
#include "training/learning/kl.h"
#include "training/learning/losses.h"
#include "training/learning/optimizer.h"

#include <cstdint>

namespace sparserl {

/// The parameters of stage rl that an update needs. They are read once per iteration.
struct RlSettings
{
    bool critic = true;                             ///< True for the algorithm ppo.
    GroupBaseline baseline = GroupBaseline::DrGrpo; ///< Used without a critic.
    double temperature = 1;
    double gamma = 1, lambda = 0.95;
    PolicyLossOptions clip;
    double valueClip = 0.2;
    double entropyCoef = 0;
    KlEstimator rewardKl = KlEstimator::K1;
    double klLossCoef = 0;
    KlEstimator lossKl = KlEstimator::K3;
    bool whiten = true, whitenByMatrix = false;
    bool tokenClasses = false; ///< Separates plan and code tokens; only in group algorithms.
    double planWeight = 0.1;
    std::int64_t maxK = 4; ///< For GroupBaseline::MaxAtK.
    double behaviourCap = 2;
    BehaviourCorrection behaviour = BehaviourCorrection::TokenTruncate;
    AggregationMode aggregation = AggregationMode::TokenMean;
    double fixedLength = 250; ///< For seq-mean-token-sum-norm.
    bool filterGroups = false;
    std::int64_t epochs = 1, valueEpochs = 1;
    std::int64_t minibatch = 32, microBatch = 32;
    double learningRate = 1e-4, criticLearningRate = 3e-4; ///< For this iteration.
    AdamOptions adam;
    double gradClip = 1;
    double klStop = 0;

    /// Reads the settings for an iteration; `iteration` and `total` determine the learning rates and the
    /// temperature. `maxTokens` is the maximum response length. Fails for unknown names and unsupported
    /// combinations.
    static Result<RlSettings> from(const ParameterSet& parameters, std::int64_t iteration, std::int64_t total,
                                   std::int64_t maxTokens);
};

} // namespace sparserl
