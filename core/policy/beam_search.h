// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy.h"

#include <functional>
#include <vector>

namespace sparserl {

struct BeamOptions
{
    int width = 5;            ///< Sequences kept side by side (SparseRL A.23).
    int maxTokens = 250;      ///< </s> included
    double lengthPenalty = 1; ///< Ranked by sum of log-probabilities / length^this, as transformers does.
};

/// The `width` best sequences that a beam search finds for an input, best first, at temperature 1.
/// Deterministic: ties go to the earlier beam and the lower token. Sequences that did not end within
/// maxTokens are unfinished and come in only where too few ended. `progress` (may be empty) is called after
/// each token of all beams. Cancelled: all that are returned are marked `stopped`.
std::vector<Sample> beamSearch(const Policy& policy, const EncoderInput& input, const BeamOptions& options,
                               const std::function<void()>& progress = {}, const CancelToken& cancel = {});

} // namespace sparserl
