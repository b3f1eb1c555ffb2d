// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/policy/policy.h"
#include "policy/sampling/sampling.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace sparserl {

/// Whether an answer of POST completions has `count` choices, each once.
Status checkChoices(const nlohmann::json& answer, std::size_t count);

/// What a server was asked for.
struct SamplesAsked
{
    std::size_t count = 1;
    int maxTokens = 1; ///< Of each.
    bool greedy = false;
};

/// The samples in such an answer, in the order of their indices. Reads token IDs and log-probabilities as
/// `sparserl serve`, vLLM and llama.cpp write them. Fails if a sample lacks them, or cannot be one of this
/// policy: an unknown token, a probability above 1, too many tokens, no end token at its end, or, unless it
/// is greedy, tokens that were drawn with other probabilities.
Result<std::vector<Sample>> samplesInAnswer(const nlohmann::json& answer, const Policy& policy,
                                            const SamplesAsked& asked);

/// Ends a sample where the incremental verifier stops it, as if it had been stopped while it was written.
void stopByVerifier(Sample& sample, const Tokenizer& tokenizer);

} // namespace sparserl
