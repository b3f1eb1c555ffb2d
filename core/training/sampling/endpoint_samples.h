// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/policy/policy.h"
#include "policy/sampling/sampling.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace sparserl {

/// Fails unless an answer to POST completions has exactly `count` choices with different indices.
Status checkChoices(const nlohmann::json& answer, std::size_t count);

/// The request that a server has answered.
struct SamplesAsked
{
    std::size_t count = 1;
    int maxTokens = 1; ///< Of each sample.
    bool greedy = false;
};

/// Returns the samples in an answer, in the order of their indices. Reads the formats that `sparserl serve`,
/// vLLM and llama.cpp use for token IDs and log-probabilities. Fails if these are missing, or if a sample
/// cannot come from the policy: it has an unknown token, a probability above 1, too many tokens or no end
/// token, or (unless it is greedy) its tokens were drawn with other probabilities.
Result<std::vector<Sample>> samplesInAnswer(const nlohmann::json& answer, const Policy& policy,
                                            const SamplesAsked& asked);

/// Cuts a sample where the incremental verifier would have stopped it during generation.
void stopByVerifier(Sample& sample, const Tokenizer& tokenizer);

} // namespace sparserl
