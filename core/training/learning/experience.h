// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// The data for an update: the responses, the sampler's log-probabilities, and the scores.
struct Experience
{
    SequenceBatch batch;
    std::vector<std::vector<float>>
        samplerLogProbs; ///< [response][token], under the full softmax at the sampling temperature.
    /// The same under the distribution from which tokens were drawn; empty if this is the policy's own.
    std::vector<std::vector<float>> behaviourLogProbs = {};
    std::vector<double> scores; ///< One per response, for the last token that the policy generated.
    /// For SelfCritical: the score of the greedy program for each response's input. Otherwise empty.
    std::vector<double> greedyScores = {};
    /// Separate scores for plan and code tokens (rl.token_classes).
    std::vector<double> planScores = {}, codeScores = {};
    std::vector<std::int64_t> groups; ///< Responses with the same number answer the same input.
};

/// Returns the given rows of a batch, without the inputs that these rows do not use.
SequenceBatch selectRows(const SequenceBatch& batch, std::span<const std::int64_t> rows);

/// Returns the rows as a tensor [N, columns], padded with zeros. A row has one number per token of a
/// response.
torch::Tensor padded(const std::vector<std::vector<float>>& rows, std::int64_t columns);
/// Pads [N, t] with zeros, or cuts it, to [N, columns].
torch::Tensor toColumns(const torch::Tensor& x, std::int64_t columns);

} // namespace sparserl
