// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "training/learning/optimizer.h"
#include "training/work/alarms.h"
#include "training/work/stage_context.h"

#include <functional>
#include <optional>

namespace sparserl {

/// Cross-entropy of the texts of one step.
struct TextLoss
{
    double loss = 0;  ///< Mean -ln p of a token, nats.
    double right = 0; ///< How many tokens have p > 0.5.
};

/// Adds the gradient of -sum(ln p) / tokens of `count` texts, `microBatch` of them at a time; `batchOf` makes
/// the batch of the texts from `begin` to before `end`. Nothing where it was interrupted: only gradients were
/// changed then.
/// Several processes call it with the texts of each, and `tokens` of all; each gets the loss of all.
/// Gradients are its own still (sumGradients, data_parallel.h). Interrupted is interrupted for all.
std::optional<TextLoss>
addTextGradient(const Policy& policy, std::size_t count, std::int64_t microBatch, double tokens,
                const std::function<SequenceBatch(std::size_t begin, std::size_t end)>& batchOf,
                const CancelToken& interrupt, ProcessGroup& processes);

/// Loss and perplexity of `count` texts without learning from them, of which several processes read a part
/// each; nothing where there are none or it was interrupted.
Metrics textMetrics(const Policy& policy, std::size_t count,
                    const std::function<SequenceBatch(std::size_t begin, std::size_t end)>& batchOf,
                    const CancelToken& interrupt, ProcessGroup& processes);

/// What becomes of the gradients of a step.
struct TextUpdate
{
    std::int64_t step = 0; ///< The one that this update completes, from 1.
    bool last = false;
    TextLoss sum;
    double tokens = 0;
    double gradientNorm = 0, learningRate = 0;
    Metrics more;         ///< Of the stage itself.
    std::string whatNext; ///< For answerAlarms.
};
/// Steps the optimizer unless loss or gradient are not finite, journals the step and answers the alarms.
Status applyTextUpdate(StageContext& context, Alarms& alarms, Adam& adam, const TextUpdate& update,
                       const Stopwatch& watch);

} // namespace sparserl
