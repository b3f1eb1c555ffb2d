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
    double right = 0; ///< Number of tokens with p > 0.5.
};

/// Adds the gradient of -sum(ln p) / tokens of `count` texts, `microBatch` of them at a time. `batchOf`
/// creates the batch of the texts [begin, end). nullopt on interruption, which changes only gradients. Each
/// of several processes passes its own texts and the `tokens` of all, and gets the loss of all. Gradients
/// stay local (see sumGradients, data_parallel.h). An interruption of one interrupts all.
std::optional<TextLoss>
addTextGradient(const Policy& policy, std::size_t count, std::int64_t microBatch, double tokens,
                const std::function<SequenceBatch(std::size_t begin, std::size_t end)>& batchOf,
                const CancelToken& interrupt, ProcessGroup& processes);

/// Loss and perplexity of `count` texts without training on them; several processes share the texts. Empty if
/// there are none, or on interruption.
Metrics textMetrics(const Policy& policy, std::size_t count,
                    const std::function<SequenceBatch(std::size_t begin, std::size_t end)>& batchOf,
                    const CancelToken& interrupt, ProcessGroup& processes);

/// The parameters of applying a step's gradients.
struct TextUpdate
{
    std::int64_t step = 0; ///< The step completed by this update, from 1.
    bool last = false;
    TextLoss sum;
    double tokens = 0;
    double gradientNorm = 0, learningRate = 0;
    Metrics more;         ///< Additional metrics of the stage.
    std::string whatNext; ///< For answerAlarms.
};
/// Steps the optimizer unless loss or gradient is not finite, journals the step and answers the alarms.
Status applyTextUpdate(StageContext& context, Alarms& alarms, Adam& adam, const TextUpdate& update,
                       const Stopwatch& watch);

} // namespace sparserl
