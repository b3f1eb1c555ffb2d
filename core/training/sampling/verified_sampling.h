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
    /// Beams of a beam search; 0: sampling. The n-th request of an input then gets its n-th best sequence
    /// accepted by the verifier.
    int beam = 0;
    /// Called with the bytes of each token of a request. May be empty. A beam search calls neither callback.
    std::function<void(std::size_t request, std::string_view bytes)> onToken;
    /// Called at the end of a request's sequence, with the stop reason if there is one. May be empty.
    std::function<void(std::size_t request, const std::string& stopReason)> onEnd;
};

/// Samples like Policy::generate. A program stopped by the verifier has "line N: REASON" as its stopReason.
std::vector<Sample> sampleVerified(const Policy& policy, const std::vector<ModelInput>& inputs,
                                   const std::vector<SampleRequest>& requests,
                                   const VerifiedSampling& sampling);

} // namespace sparserl
