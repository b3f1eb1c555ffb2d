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

/// The distribution from which tokens are drawn, and other settings of sampling. The default is plain
/// ancestral sampling, the only setting with which Sample::logProbs and Sample::behaviourLogProbs are equal
/// (docs/rl.md 1, trap 2).
struct SamplingOptions
{
    double temperature = 1.0;
    int topK = 0;      ///< Draw only from this many of the likeliest tokens; 0: from all.
    double topP = 1.0; ///< Draw only from the smallest set of tokens with a total probability of at least
                       ///< topP; 1: from all tokens.
    bool greedy = false;
    int maxTokens = 250; ///< Maximum number of tokens to draw, including </s>.
    /// Probability with which a token is drawn at `broadTemperature` from all tokens instead (SparseRL A.9:
    /// 0.3 at 0.7).
    double broadFraction = 0;
    double broadTemperature = 0.7;
    /// Number of sequences that are generated in parallel; the others wait. 0: 64 with our CPU kernels,
    /// otherwise as many as memory allows.
    int batch = 0;
    std::int32_t end = 2; ///< The token that ends a sequence; Policy::generate() takes it from the tokenizer.

    Status check() const;
    /// Returns whether tokens are drawn from the policy's own distribution at the temperature.
    bool ancestral() const { return topK == 0 && topP >= 1 && broadFraction <= 0 && !greedy; }
};

/// The defaults for sampling in a policy's config.json.
struct GenerationSettings
{
    int maxTokens = 250;
    double temperature = 1.0;
};

/// A request for one sequence.
struct SampleRequest
{
    int input = 0; ///< Index of the sequence's input.
    /// Determines the drawn tokens, independently of other requests and of their order.
    std::uint64_t seed = 0;
    /// The first tokens of the sequence. The model reads them; they are not part of the sample.
    std::vector<std::int32_t> prefix = {};
};

struct Sample
{
    std::vector<std::int32_t> tokens; ///< The drawn tokens, ending with </s> if `finished`.
    std::vector<float> logProbs; ///< Log-probability of each token under the full softmax at `temperature`.
    /// Log-probability of each token under the distribution from which it was drawn.
    std::vector<float> behaviourLogProbs;
    bool finished = false; ///< The sequence has ended with </s>.
    bool stopped = false;  ///< The hook or a cancellation has ended the sequence.
    std::string stopReason;
};

/// Throws a Failure if a number that is used to draw a token is NaN. This happens, for example, if the
/// weights of a policy are so large that its layers overflow.
void checkProbability(float value);

/// Returns the length of the longest prefix among the requests.
int longestPrefix(const std::vector<SampleRequest>& requests);

/// A function that is called after each token of a request, including </s>, on the thread of the caller. To
/// stop the sequence after this token, it returns a reason; after </s>, the result is ignored.
using TokenHook = std::function<std::optional<std::string>(std::size_t request, std::int32_t token)>;

} // namespace sparserl
