// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/rl_experience.h"

#include "policy/tokenizer/token_bytes.h"
#include "training/learning/token_classes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>

namespace sparserl {

namespace {

double rounded(double value)
{
    return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
}

/// Of tokens with their bytes, where `advantages` has a value for each token.
std::vector<AdvantageRun> runsOf(const std::vector<std::size_t>& bytes, const double* advantages,
                                 const SequenceBatch& batch, std::size_t row)
{
    std::vector<AdvantageRun> runs;
    for (std::size_t t = 0; t < bytes.size(); ++t) {
        const bool read = batch.classOf(row, t) == TokenClass::Observation;
        const double value = read ? std::numeric_limits<double>::quiet_NaN() : rounded(advantages[t]);
        const bool last = t + 1 == bytes.size();
        if (bytes[t] == 0 && !last) // Of a character that a later token completes.
            continue;
        if (runs.empty() || (runs.back().advantage != value && !(read && std::isnan(runs.back().advantage))))
            runs.push_back({0, value});
        runs.back().bytes += static_cast<std::int64_t>(bytes[t]);
    }
    return runs;
}

} // namespace

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

std::vector<std::vector<AdvantageRun>> advantagesOf(const Rollout& rollout, const Experience& experience,
                                                    const LearningTargets& targets,
                                                    const Tokenizer& tokenizer,
                                                    const std::set<std::int64_t>* groups)
{
    const std::set<std::int64_t> kept(targets.kept.begin(), targets.kept.end());
    const torch::Tensor advantages = targets.advantages.tensor.to(torch::kCPU, torch::kFloat64).contiguous();
    std::vector<std::vector<AdvantageRun>> all;
    std::int64_t row = 0; // of the experience
    for (const RolloutItem& item : rollout.items) {
        auto& runs = all.emplace_back();
        if (groups != nullptr && !groups->contains(item.input))
            continue;
        const auto bytes = bytesOfTokens(tokenizer, item.sample.tokens);
        const auto text = std::accumulate(bytes.begin(), bytes.end(), std::size_t(0));
        if (kept.contains(row) && text == item.text.size())
            runs = runsOf(bytes, advantages.const_data_ptr<double>() + row * advantages.size(1),
                          experience.batch, static_cast<std::size_t>(row));
        ++row;
    }
    return all;
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
