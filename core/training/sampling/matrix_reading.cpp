// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/matrix_reading.h"

#include <algorithm>

namespace sparserl {

std::optional<ProgramScores> scorePrograms(const Policy& policy, const std::vector<ModelInput>& inputs,
                                           const std::vector<WrittenProgram>& programs, double temperature,
                                           const CancelToken& interrupt)
{
    constexpr std::size_t rowsAtOnce = 64;
    const torch::NoGradGuard guard;
    ProgramScores result;
    std::vector<std::size_t> order(programs.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
        result.own.push_back(programs[i].input);
    }
    // Alike lengths side by side: less padding in a batch.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return programs[a].tokens.size() < programs[b].tokens.size();
    });
    result.scores.assign(programs.size(), std::vector<double>(inputs.size(), 0.0));
    // One matrix with many programs a batch: each is encoded as rarely as can be.
    for (std::size_t m = 0; m < inputs.size(); ++m) {
        for (std::size_t begin = 0; begin < order.size(); begin += rowsAtOnce) {
            if (interrupt.cancelled())
                return std::nullopt;
            const auto end = std::min(begin + rowsAtOnce, order.size());
            SequenceBatch batch;
            batch.inputs.push_back(inputs[m]);
            for (std::size_t i = begin; i < end; ++i) {
                batch.inputOf.push_back(0);
                batch.targets.push_back(programs[order[i]].tokens);
            }
            const auto sums = policy.tokenStatistics(batch, temperature, false)
                                  .logProbs.to(torch::kFloat64)
                                  .sum(1)
                                  .to(torch::kCPU)
                                  .contiguous();
            for (std::size_t i = begin; i < end; ++i)
                result.scores[order[i]][m] = sums.data_ptr<double>()[i - begin];
        }
    }
    return result;
}

std::vector<std::size_t> evenlySpread(std::size_t count, std::size_t most)
{
    const auto n = std::min(count, most);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < n; ++i)
        chosen.push_back((2 * i + 1) * count / (2 * n));
    return chosen;
}

std::optional<Metrics> rolloutReading(const Policy& policy, const Rollout& rollout, const RewardTimes& times,
                                      double temperature, std::uint64_t seed, const CancelToken& interrupt)
{
    constexpr std::size_t mostMatrices = 16;
    std::vector<EvaluatedMatrix> rows(rollout.inputs.size());
    std::vector<const RolloutItem*> first(rollout.inputs.size(), nullptr);
    // That programs of two tasks differ tells nothing of matrices: those of the first target's task count.
    const auto isOther = [&](const RolloutItem& item) {
        return !item.target->target.id.sameVariant(rollout.items.front().target->target.id);
    };
    for (const auto& item : rollout.items) {
        if (isOther(item))
            continue;
        auto& row = rows[static_cast<std::size_t>(item.input)];
        if (row.each.empty()) {
            row = evaluatedMatrix(*item.target, times);
            first[static_cast<std::size_t>(item.input)] = &item;
        }
        row.baselineMicroseconds = std::max(row.baselineMicroseconds, item.record.baselineMicroseconds);
        row.add(evaluatedSample(item.record, item.family, item.reward.total, times));
    }
    std::erase_if(rows, [](const EvaluatedMatrix& row) { return row.each.empty(); });
    auto metrics = familyMetrics(rows, seed);
    std::vector<ModelInput> inputs;
    std::vector<WrittenProgram> programs;
    for (const auto at : evenlySpread(first.size(), mostMatrices)) {
        if (first[at] == nullptr || first[at]->sample.tokens.empty())
            continue;
        programs.push_back({static_cast<int>(inputs.size()), first[at]->sample.tokens});
        inputs.push_back(rollout.inputs[at]);
    }
    if (inputs.size() < 2)
        return metrics;
    const auto scores = scorePrograms(policy, inputs, programs, temperature, interrupt);
    if (!scores)
        return std::nullopt;
    metrics.merge(readingMetrics(*scores, seed));
    return metrics;
}

} // namespace sparserl
