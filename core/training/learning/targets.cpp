// SPDX-License-Identifier: Apache-2.0
#include "training/learning/targets.h"

#include "training/learning/kl.h"

#include <algorithm>
#include <cstddef>

namespace sparserl {

namespace {

/// Advantages and weights of plan and code tokens. The KL penalty belongs to both classes alike.
void separateClasses(const Experience& experience, const RlSettings& settings,
                     const std::vector<double>& totals, LearningTargets& targets)
{
    auto planScores = experience.planScores, codeScores = experience.codeScores;
    for (std::size_t i = 0; i < totals.size(); ++i) {
        const double penalty = totals[i] - experience.scores[i];
        planScores[i] += penalty;
        codeScores[i] += penalty;
    }
    const auto plan = classMask(experience.batch, TokenClass::Plan);
    targets.advantages = classAdvantages(groupAdvantages(planScores, experience.groups, settings.baseline),
                                         groupAdvantages(codeScores, experience.groups, settings.baseline),
                                         plan, targets.mask);
    targets.classWeights = classWeights(plan, targets.mask, settings.planWeight);
}

Advantage whitened(const Advantage& raw, const Experience& experience, const RlSettings& settings,
                   const Mask& mask)
{
    if (!settings.whiten)
        return raw;
    return settings.whitenByMatrix ? whitenByGroup(raw, mask, experience.groups) : whiten(raw, mask);
}

/// Of whole responses against their group. The KL penalty of a response belongs to its score here: group
/// baselines know no tokens.
void compareInGroups(const Experience& experience, const TokenReward& rewards, const RlSettings& settings,
                     LearningTargets& targets)
{
    std::vector<double> totals;
    const auto sums = rewards.tensor.sum(1).to(torch::kFloat64);
    for (std::int64_t i = 0; i < sums.size(0); ++i)
        totals.push_back(sums[i].item<double>());
    if (settings.tokenClasses) {
        separateClasses(experience, settings, totals, targets);
        return;
    }
    auto perResponse = settings.baseline == GroupBaseline::MaxAtK
                           ? maxAtKAdvantages(totals, experience.groups, settings.maxK)
                           : groupAdvantages(totals, experience.groups, settings.baseline);
    for (std::size_t i = 0; i < experience.greedyScores.size(); ++i)
        perResponse[i] = totals[i] - experience.greedyScores[i];
    targets.advantages = broadcastAdvantages(perResponse, targets.mask);
}

} // namespace

PenalisedRewards penaliseRewards(const Experience& experience, const LearningTargets& targets,
                                 KlEstimator estimator, double coefficient)
{
    const auto scores = torch::tensor(experience.scores).to(torch::kFloat32);
    PenalisedRewards rewards;
    rewards.kl = klPerToken(LogProb(targets.old.tensor), targets.ref, targets.mask, estimator);
    rewards.perToken = placeRewards(scores, rewards.kl, targets.mask, coefficient);
    return rewards;
}

void estimateAdvantages(const Experience& experience, const TokenReward& rewards, const RlSettings& settings,
                        LearningTargets& targets)
{
    if (targets.values.tensor.defined()) {
        auto estimate = gae(rewards, targets.values, targets.mask, settings.gamma, settings.lambda);
        targets.returns = estimate.returns;
        targets.advantages = whitened(estimate.advantages, experience, settings, targets.mask);
        return;
    }
    targets.returns = discountedReturns(rewards, targets.mask, settings.gamma);
    if (settings.baseline == GroupBaseline::ReinforcePlusPlus) {
        targets.advantages = whitened(Advantage(targets.returns.tensor), experience, settings, targets.mask);
        return;
    }
    compareInGroups(experience, rewards, settings, targets);
    if (settings.baseline == GroupBaseline::ReinforceBaseline)
        targets.advantages = whitened(targets.advantages, experience, settings, targets.mask);
}

std::vector<std::int64_t> keptResponses(const Experience& experience, bool filterGroups)
{
    std::vector<std::int64_t> kept;
    const auto signal = groupsWithSignal(experience.scores, experience.groups);
    for (std::size_t i = 0; i < experience.scores.size(); ++i) {
        const bool differs = std::binary_search(signal.begin(), signal.end(), experience.groups[i]);
        if (experience.batch.learnsFrom(i) && (!filterGroups || differs))
            kept.push_back(static_cast<std::int64_t>(i));
    }
    return kept;
}

} // namespace sparserl
