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
    int width = 5;            ///< Sequences kept side by side (SparseRL A.23).
    int maxTokens = 250;      ///< </s> included
    double lengthPenalty = 1; ///< Ranked by sum of log-probabilities / length^this, as transformers does.
    std::int32_t end = 2;     ///< The token that ends a sequence: its tokenizer's.
    /// Reads along with a sequence, token by token but for </s>: false, and what would begin so is no
    /// sequence. Every beam has a copy with what it has read so far. May be empty.
    std::function<bool(std::int32_t token)> accepts = {};
};

/// The `width` best sequences that a beam search finds for an input, best first, at temperature 1.
/// Deterministic: ties go to the earlier beam and the lower token. Sequences that did not end within
/// maxTokens are unfinished and come in only where too few ended. Of the likeliest tokens of a beam so many
/// are looked at that `accepts` may refuse three quarters of them. `progress` (may be empty) is called after
/// each token of all beams. Cancelled: all that are returned are marked `stopped`.
std::vector<Sample> beamSearch(const LanguageModel& model, const ModelInput& input,
                               const BeamOptions& options, const std::function<void()>& progress = {},
                               const CancelToken& cancel = {});

} // namespace sparserl
