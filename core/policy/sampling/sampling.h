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

/// The behaviour distribution. The defaults are plain ancestral sampling, the only setting under which
/// `logProbs` equal `behaviourLogProbs` (docs/rl.md 1, trap 2).
struct SamplingOptions
{
    double temperature = 1.0;
    int topK = 0;      ///< 0: off
    double topP = 1.0; ///< 1: off; the smallest set of tokens whose probability reaches topP
    bool greedy = false;
    int maxTokens = 250; ///< That are drawn, </s> included.
    /// Share of the mixture that is drawn at `broadTemperature` without truncation (paper A.9: 0.3 at 0.7).
    double broadFraction = 0;
    double broadTemperature = 0.7;
    /// Sequences decoded side by side; others wait. 0: 64 by the kernels of a CPU, else what memory allows.
    int batch = 0;
    std::int32_t end = 2; ///< The token that ends a sequence; Policy::generate sets its tokenizer's.

    Status check() const;
    /// Whether tokens are drawn from the policy's own distribution at the temperature.
    bool ancestral() const { return topK == 0 && topP >= 1 && broadFraction <= 0 && !greedy; }
};

/// What config.json keeps about sampling, used where the caller does not say otherwise.
struct GenerationSettings
{
    int maxTokens = 250;
    double temperature = 1.0;
};

/// One sequence to sample.
struct SampleRequest
{
    int input = 0;          ///< Index of its encoder input.
    std::uint64_t seed = 0; ///< Alone decides the draws: neither the batch nor its order matter.
    /// Tokens that the sequence begins with: read, not drawn, and no part of the sample.
    std::vector<std::int32_t> prefix = {};
};

struct Sample
{
    std::vector<std::int32_t> tokens;     ///< Those drawn, with </s> at the end if `finished`.
    std::vector<float> logProbs;          ///< Full softmax at `temperature`, fp32, per token.
    std::vector<float> behaviourLogProbs; ///< Under the distribution really drawn from.
    bool finished = false;                ///< Ended by </s>.
    bool stopped = false;                 ///< Ended by the hook or by cancelling.
    std::string stopReason;
};

/// Of what goes into a draw or comes out of it: throws a Failure where it is no number, as where the weights
/// of a policy are so large that its layers overflow. Nothing can be drawn then.
void checkProbability(float value);

/// The longest prefix of some requests.
int longestPrefix(const std::vector<SampleRequest>& requests);

/// Called on the caller's thread after each token of a request, </s> included; a reason for any other token
/// stops that sequence, the token being its last.
using TokenHook = std::function<std::optional<std::string>(std::size_t request, std::int32_t token)>;

} // namespace sparserl
