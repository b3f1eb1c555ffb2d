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
    int width = 5;            ///< Number of parallel sequences (SparseRL A.23).
    int maxTokens = 250;      ///< including </s>
    double lengthPenalty = 1; ///< Ranked by sum of log-probabilities / length^this, as transformers does.
    std::int32_t end = 2;     ///< The token that ends a sequence, from its tokenizer.
    /// Checks a sequence token by token, without </s>; false rejects the sequence. Each beam has its own copy
    /// with the state so far. May be empty.
    std::function<bool(std::int32_t token)> accepts = {};
};

/// The `width` best sequences that a beam search finds for an input, best first, at temperature 1.
/// Deterministic: ties go to the earlier beam and the lower token. Sequences that do not end within maxTokens
/// are unfinished and returned only if too few sequences ended. Considers enough of the likeliest tokens that
/// `accepts` may reject three quarters of them. Calls `progress` (may be empty) after each token of all
/// beams. On cancellation, all returned sequences are marked `stopped`.
std::vector<Sample> beamSearch(const LanguageModel& model, const ModelInput& input,
                               const BeamOptions& options, const std::function<void()>& progress = {},
                               const CancelToken& cancel = {});

} // namespace sparserl
