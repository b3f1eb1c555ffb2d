// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// The data for an update: responses, the sampler's log-probabilities, and scores.
struct Experience
{
    SequenceBatch batch;
    std::vector<std::vector<float>>
        samplerLogProbs; ///< Per response and token, under the full softmax at the temperature.
    /// The same under the actual sampling distribution; empty if that is the policy's own.
    std::vector<std::vector<float>> behaviourLogProbs = {};
    std::vector<double> scores; ///< One per response, placed at the last token that the policy generated.
    /// Score of the greedy program for each response's input, for SelfCritical; empty otherwise.
    std::vector<double> greedyScores = {};
    /// Separate scores of the classes (rl.token_classes).
    std::vector<double> planScores = {}, codeScores = {};
    std::vector<std::int64_t> groups; ///< Responses with equal numbers answer the same input.
};

/// Selects rows of a batch; drops unused inputs.
SequenceBatch selectRows(const SequenceBatch& batch, std::span<const std::int64_t> rows);

/// Rows of numbers, one per token of a response, as [N, columns], zero-padded.
torch::Tensor padded(const std::vector<std::vector<float>>& rows, std::int64_t columns);
/// Pads or cuts [N, t] to [N, columns].
torch::Tensor toColumns(const torch::Tensor& x, std::int64_t columns);

} // namespace sparserl
