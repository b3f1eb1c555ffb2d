// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The behaviour distribution. The default is plain ancestral sampling, the only setting with `logProbs`
/// equal to `behaviourLogProbs` (docs/rl.md 1, trap 2).
struct SamplingOptions
{
    double temperature = 1.0;
    int topK = 0;      ///< 0: off
    double topP = 1.0; ///< 1: off; the smallest set of tokens with total probability topP or more
    bool greedy = false;
    int maxTokens = 250; ///< Number of drawn tokens, including </s>.
    /// Weight of the mixture component drawn at `broadTemperature` without truncation (paper A.9: 0.3 at
    /// 0.7).
    double broadFraction = 0;
    double broadTemperature = 0.7;
    /// Number of sequences decoded in parallel; others wait. 0: 64 with our CPU kernels, otherwise as memory
    /// allows.
    int batch = 0;
    std::int32_t end = 2; ///< The token that ends a sequence; Policy::generate takes it from the tokenizer.

    Status check() const;
    /// Whether tokens are drawn from the policy's own distribution at the temperature.
    bool ancestral() const { return topK == 0 && topP >= 1 && broadFraction <= 0 && !greedy; }
};

/// The sampling defaults in config.json.
struct GenerationSettings
{
    int maxTokens = 250;
    double temperature = 1.0;
};

/// One sequence to sample.
struct SampleRequest
{
    int input = 0;          ///< Index of its encoder input.
    std::uint64_t seed = 0; ///< Determines the draws, independently of the batch and its order.
    /// First tokens of the sequence: read, not drawn, and not part of the sample.
    std::vector<std::int32_t> prefix = {};
};

struct Sample
{
    std::vector<std::int32_t> tokens;     ///< The drawn tokens, ending with </s> if `finished`.
    std::vector<float> logProbs;          ///< Under the full softmax at `temperature`, fp32, per token.
    std::vector<float> behaviourLogProbs; ///< Under the actual distribution of the draw.
    bool finished = false;                ///< Ended by </s>.
    bool stopped = false;                 ///< Ended by the hook or by cancellation.
    std::string stopReason;
};

/// Checks an input or output of a draw. Throws a Failure for NaN, for example if a policy's weights are so
/// large that its layers overflow; no token can then be drawn.
void checkProbability(float value);

/// The length of the longest prefix among the requests.
int longestPrefix(const std::vector<SampleRequest>& requests);

/// Called on the caller's thread after each token of a request, including </s>. A returned reason stops the
/// sequence after this token, unless the token is </s>.
using TokenHook = std::function<std::optional<std::string>(std::size_t request, std::int32_t token)>;

} // namespace sparserl
