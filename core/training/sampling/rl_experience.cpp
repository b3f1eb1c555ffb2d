// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/rl_experience.h"

#include "training/learning/token_classes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sparserl {

Experience experienceOf(const Rollout& rollout, const Policy& policy, const std::set<std::int64_t>* groups,
                        bool greedy)
{
    Experience experience;
    experience.batch.inputs = rollout.inputs;
    for (const auto& item : rollout.items) {
        if (groups != nullptr && !groups->contains(item.input))
            continue;
        experience.batch.inputOf.push_back(item.input);
        experience.batch.targets.push_back(item.sample.tokens);
        experience.scores.push_back(item.reward.total);
        experience.planScores.push_back(item.reward.plan);
        experience.codeScores.push_back(item.reward.code);
        experience.batch.classes.push_back(classesOf(policy.tokenizer(), item.sample.tokens));
        experience.groups.push_back(item.input);
        experience.samplerLogProbs.push_back(item.sample.logProbs);
        if (greedy)
            experience.greedyScores.push_back(item.greedyReward);
        if (!rollout.onPolicy)
            experience.behaviourLogProbs.push_back(item.sample.behaviourLogProbs);
    }
    return experience;
}

double familyEntropy(const Rollout& rollout)
{
    std::map<std::string, double> counts;
    double all = 0;
    for (const auto& item : rollout.items) {
        if (isCompiled(item.record.verdict)) {
            counts[item.family] += 1;
            all += 1;
        }
    }
    double entropy = 0;
    for (const auto& [family, count] : counts)
        entropy -= count / all * std::log(count / all);
    return entropy;
}

std::set<std::int64_t> learnedGroups(const Rollout& rollout, std::int64_t wanted)
{
    auto groups = groupsWithSignal(rollout.rewards(), rollout.groups());
    if (groups.empty()) {
        for (std::int64_t group = 0; group < wanted; ++group)
            groups.push_back(group);
    }
    groups.resize(std::min(groups.size(), static_cast<std::size_t>(wanted)));
    return {groups.begin(), groups.end()};
}

} // namespace sparserl
