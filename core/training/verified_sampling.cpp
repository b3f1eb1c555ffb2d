// SPDX-License-Identifier: Apache-2.0
#include "training/verified_sampling.h"

#include "kernel/verifier.h"
#include "policy/beam_search.h"

#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

/// The verifier would have to follow every beam; a program that cannot compile is told so by the judge.
std::vector<Sample> searched(const Policy& policy, const std::vector<EncoderInput>& inputs,
                             const std::vector<SampleRequest>& requests, const VerifiedSampling& sampling)
{
    BeamOptions options;
    options.width = sampling.beam;
    options.maxTokens = sampling.options.maxTokens;
    std::size_t tokens = 0;
    std::map<int, std::vector<Sample>> best;
    std::map<int, std::size_t> used;
    std::vector<Sample> samples;
    for (const auto& request : requests) {
        auto& of = best[request.input];
        if (of.empty())
            of = beamSearch(
                policy, inputs[static_cast<std::size_t>(request.input)], options,
                [&] {
                    tokens += static_cast<std::size_t>(options.width);
                    if (sampling.progress)
                        sampling.progress(tokens);
                },
                sampling.cancel);
        samples.push_back(of.at(used[request.input]++));
    }
    return samples;
}

} // namespace

std::vector<Sample> sampleVerified(const Policy& policy, const std::vector<EncoderInput>& inputs,
                                   const std::vector<SampleRequest>& requests,
                                   const VerifiedSampling& sampling)
{
    if (sampling.beam > 0)
        return searched(policy, inputs, requests, sampling);
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
