// SPDX-License-Identifier: Apache-2.0
#include "training/verified_sampling.h"

#include "kernel/verifier.h"

#include <fmt/format.h>

namespace sparserl {

std::vector<Sample> sampleVerified(const Policy& policy, const std::vector<EncoderInput>& inputs,
                                   const std::vector<SampleRequest>& requests,
                                   const VerifiedSampling& sampling)
{
    std::vector<IncrementalVerifier> verifiers(sampling.verifier ? requests.size() : 0);
    std::size_t tokens = 0;
    const TokenHook hook = [&](std::size_t request, std::int32_t token) -> std::optional<std::string> {
        ++tokens;
        if (sampling.progress)
            sampling.progress(tokens);
        if (verifiers.empty())
            return std::nullopt;
        const auto stop = verifiers[request].feed(policy.tokenizer().bytes(token));
        return stop ? std::optional(fmt::format("line {}: {}", stop->line, stop->reason)) : std::nullopt;
    };
    return policy.generate(inputs, requests, sampling.options, hook, sampling.cancel);
}

} // namespace sparserl
