// SPDX-License-Identifier: Apache-2.0
#include "training/stages/text_learning.h"

#include "training/learning/data_parallel.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

std::optional<TextLoss>
addTextGradient(const Policy& policy, std::size_t count, std::int64_t microBatch, double tokens,
                const std::function<SequenceBatch(std::size_t begin, std::size_t end)>& batchOf,
                const CancelToken& interrupt, ProcessGroup& processes)
{
    TextLoss result;
    bool interrupted = false;
    const auto micro = static_cast<std::size_t>(microBatch);
    for (std::size_t begin = 0; begin < count; begin += micro) {
        interrupted = interrupt.cancelled();
        if (interrupted)
            break;
        const auto statistics =
            policy.tokenStatistics(batchOf(begin, std::min(begin + micro, count)), 1.0, false);
        const auto sum = -statistics.logProbs.sum() / tokens;
        sum.backward();
        result.loss += sum.item<double>();
        result.right += (statistics.logProbs > std::log(0.5))
                            .to(torch::kFloat32)
                            .mul(statistics.mask)
                            .sum()
                            .item<double>();
    }
    const auto all = sumNumbers(processes, {interrupted ? 1.0 : 0.0, result.loss, result.right});
    return all[0] > 0 ? std::nullopt : std::optional(TextLoss{all[1], all[2]});
}

Metrics textMetrics(const Policy& policy, std::size_t count,
                    const std::function<SequenceBatch(std::size_t begin, std::size_t end)>& batchOf,
                    const CancelToken& interrupt, ProcessGroup& processes)
{
    constexpr std::size_t atOnce = 32;
    const torch::NoGradGuard guard;
    double sum = 0, tokens = 0;
    bool interrupted = false;
    const auto turns = static_cast<std::size_t>(processes.size()) * atOnce;
    for (auto begin = static_cast<std::size_t>(processes.rank()) * atOnce; begin < count; begin += turns) {
        interrupted = interrupt.cancelled();
        if (interrupted)
            break;
        const auto statistics =
            policy.tokenStatistics(batchOf(begin, std::min(begin + atOnce, count)), 1.0, false);
        sum -= statistics.logProbs.sum().item<double>();
        tokens += statistics.mask.sum().item<double>();
    }
    const auto all = sumNumbers(processes, {interrupted ? 1.0 : 0.0, sum, tokens});
    sum = all[1];
    tokens = all[2];
    if (all[0] > 0 || tokens <= 0)
        return {};
    return {{metric::loss, sum / tokens}, {metric::perplexity, std::exp(sum / tokens)}};
}

Status applyTextUpdate(StageContext& context, Alarms& alarms, Adam& adam, const TextUpdate& update,
                       const Stopwatch& watch)
{
    const double loss = update.sum.loss;
    if (!std::isfinite(loss) || !std::isfinite(update.gradientNorm)) {
        SPARSERL_CHECK(answerAlarms(context, alarms, split::train, update.step,
                                    {{metric::loss, loss}, {metric::gradNorm, update.gradientNorm}}, true,
                                    update.whatNext));
    }
    adam.step(update.learningRate);
    constexpr std::int64_t stepsUnchecked = 50;
    if (update.last || update.step % stepsUnchecked == 0)
        requireSameWeights(adam.parameters(), context.processes());
    Metrics metrics = update.more;
    metrics.merge(Metrics{{metric::loss, loss},
                          {metric::perplexity, std::exp(loss)},
                          {metric::tokenConfident, update.sum.right / update.tokens},
                          {metric::gradNorm, update.gradientNorm},
                          {metric::learningRate, update.learningRate},
                          {metric::timeStep, watch.seconds()},
                          {metric::throughput, update.tokens / watch.seconds()}});
    SPARSERL_CHECK(context.metrics(update.step, split::train, metrics));
    return answerAlarms(context, alarms, split::train, update.step, metrics, update.last, update.whatNext);
}

} // namespace sparserl
