// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// What an update learns from: responses, the log-probabilities their sampler reported, their scores.
struct Experience
{
    SequenceBatch batch;
    std::vector<std::vector<float>>
        samplerLogProbs; ///< Per response and token, full softmax at the temperature.
    /// The same under the distribution really drawn from; empty where that is the policy's own.
    std::vector<std::vector<float>> behaviourLogProbs = {};
    std::vector<double> scores; ///< One a response; stands at the last token that the policy wrote.
    /// Score of the greedy program for each response's input, for SelfCritical; empty otherwise.
    std::vector<double> greedyScores = {};
    /// Where classes are apart (rl.token_classes): their scores.
    std::vector<double> planScores = {}, codeScores = {};
    std::vector<std::int64_t> groups; ///< Which responses answer the same input.
};

/// Rows of a batch; inputs that no row uses are left out.
SequenceBatch selectRows(const SequenceBatch& batch, std::span<const std::int64_t> rows);

/// Rows of numbers, one for each token of a response, as [N, columns], 0 after the end of each.
torch::Tensor padded(const std::vector<std::vector<float>>& rows, std::int64_t columns);
/// Pads or cuts [N, t] to [N, columns].
torch::Tensor toColumns(const torch::Tensor& x, std::int64_t columns);

} // namespace sparserl
