// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

struct VerifiedSampling
{
    SamplingOptions options;
    bool verifier = true; ///< The incremental verifier reads along and stops what can no longer compile.
    /// Called after each token with the number of tokens sampled so far. May be empty.
    std::function<void(std::size_t tokens)> progress;
    CancelToken cancel;
    /// Beams of a beam search in place of sampling; 0: sampling. The n-th request of an input then gets its
    /// n-th best sequence of those that the verifier lets pass.
    int beam = 0;
    /// Called with the bytes of each token of a request. May be empty; a beam search calls neither.
    std::function<void(std::size_t request, std::string_view bytes)> onToken;
    /// Called when a request's sequence is over, with why it was stopped, if it was. May be empty.
    std::function<void(std::size_t request, const std::string& stopReason)> onEnd;
};

/// Samples as Policy::generate does; a program that the verifier stops has "line N: REASON" as its
/// stopReason.
std::vector<Sample> sampleVerified(const Policy& policy, const std::vector<ModelInput>& inputs,
                                   const std::vector<SampleRequest>& requests,
                                   const VerifiedSampling& sampling);

} // namespace sparserl
