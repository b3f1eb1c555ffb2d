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
    bool verifier = true; ///< Checks programs incrementally and stops those that can no longer compile.
    /// Called after each token, and between the layers while inputs are read, with the total number of tokens
    /// so far. May be empty.
    std::function<void(std::size_t tokens)> progress;
    CancelToken cancel;
    /// Number of beams of a beam search; 0: sampling. In a beam search, the n-th request for an input gets
    /// the n-th best sequence that the verifier accepts.
    int beam = 0;
    /// Called with the bytes of each token of a request. May be empty. A beam search calls neither callback.
    std::function<void(std::size_t request, std::string_view bytes)> onToken;
    /// Called when the sequence of a request ends, with the stop reason if there is one. May be empty.
    std::function<void(std::size_t request, const std::string& stopReason)> onEnd;
};

/// Samples like Policy::generate(). If the verifier stops a program, its stopReason is "line N: REASON".
std::vector<Sample> sampleVerified(const Policy& policy, const std::vector<ModelInput>& inputs,
                                   const std::vector<SampleRequest>& requests,
                                   const VerifiedSampling& sampling);

} // namespace sparserl
