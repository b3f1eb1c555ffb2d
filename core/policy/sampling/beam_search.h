// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "policy/model/language_model.h"
#include "policy/sampling/sampling.h"

#include <functional>
#include <vector>

namespace sparserl {

struct BeamOptions
{
    int width = 5;            ///< Number of sequences that are kept at each step (SparseRL A.23).
    int maxTokens = 250;      ///< Maximum number of tokens, including </s>.
    double lengthPenalty = 1; ///< Exponent p of the score by which sequences are ranked, as in transformers:
                              ///< the sum of log-probabilities / length^p.
    std::int32_t end = 2;     ///< The token that ends a sequence, from the tokenizer.
    /// Checks a sequence token by token, without </s>, and returns false to reject it. Each beam has its own
    /// copy, which may keep a state. May be empty.
    std::function<bool(std::int32_t token)> accepts = {};
};

/// Runs a beam search for an input at temperature 1, and returns the `width` best sequences, the best first.
/// The result is deterministic: of equal scores, the earlier beam and the lower token win. Sequences that do
/// not end within maxTokens are unfinished; they are returned only if too few sequences have ended. The
/// search considers so many of the likeliest tokens that `accepts` may reject three quarters of them. Calls
/// `progress` (may be empty) each time that all beams have a new token. On cancellation, all returned
/// sequences are marked `stopped`.
std::vector<Sample> beamSearch(const LanguageModel& model, const ModelInput& input,
                               const BeamOptions& options, const std::function<void()>& progress = {},
                               const CancelToken& cancel = {});

} // namespace sparserl
