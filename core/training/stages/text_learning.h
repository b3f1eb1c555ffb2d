// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "training/learning/optimizer.h"
#include "training/work/alarms.h"
#include "training/work/stage_context.h"

#include <functional>
#include <optional>

namespace sparserl {

/// The cross-entropy of the texts of one step.
struct TextLoss
{
    double loss = 0;  ///< Mean of -ln p over the tokens, in nats.
    double right = 0; ///< Number of tokens with p > 0.5.
};

/// Adds the gradient of -sum(ln p) / tokens for `count` texts, `microBatch` texts at a time. `batchOf`
/// creates the batch of the texts [begin, end). Returns nullopt on interruption, which changes only
/// gradients. With several processes, each passes its own texts and the `tokens` of all, and gets the loss of
/// all; an interruption of one process interrupts all. Gradients stay local (see sumGradients() in
/// data_parallel.h).
std::optional<TextLoss>
addTextGradient(const Policy& policy, std::size_t count, std::int64_t microBatch, double tokens,
                const std::function<SequenceBatch(std::size_t begin, std::size_t end)>& batchOf,
                const CancelToken& interrupt, ProcessGroup& processes);

/// Computes loss and perplexity of `count` texts without training on them. Several processes share the texts.
/// Empty if there are no texts, or on interruption.
Metrics textMetrics(const Policy& policy, std::size_t count,
                    const std::function<SequenceBatch(std::size_t begin, std::size_t end)>& batchOf,
                    const CancelToken& interrupt, ProcessGroup& processes);

/// The inputs of applyTextUpdate().
struct TextUpdate
{
    std::int64_t step = 0; ///< The step that this update completes, from 1.
    bool last = false;
    TextLoss sum;
    double tokens = 0;
    double gradientNorm = 0, learningRate = 0;
    Metrics more;         ///< Further metrics of the stage.
    std::string whatNext; ///< The `remedy` for answerAlarms().
};
/// Updates the weights unless loss or gradient is not finite, journals the step, and acts on alarms.
Status applyTextUpdate(StageContext& context, Alarms& alarms, Adam& adam, const TextUpdate& update,
                       const Stopwatch& watch);

} // namespace sparserl
