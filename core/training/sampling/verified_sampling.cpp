// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/verified_sampling.h"

#include "kernel/verifier.h"
#include "policy/sampling/beam_search.h"
#include "policy/tokenizer/tokenizer.h"
#include "training/sampling/stop_words.h"

#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

std::vector<Sample> searched(const Policy& policy, const std::vector<ModelInput>& inputs,
                             const std::vector<SampleRequest>& requests, const VerifiedSampling& sampling)
{
    BeamOptions options;
    options.width = sampling.beam;
    options.end = policy.tokenizer().end();
    options.maxTokens = sampling.options.maxTokens;
    if (sampling.verifier)
        // A copy for each beam holds its text only: a verifier, which may be fed in any pieces, reads it
        // anew.
        options.accepts = [&policy, text = std::string()](std::int32_t token) mutable {
            text += policy.tokenizer().bytes(token);
            IncrementalVerifier verifier;
            return !verifier.feed(text);
        };
    std::size_t tokens = 0;
    std::map<int, std::vector<Sample>> best;
    std::map<int, std::size_t> used;
    std::vector<Sample> samples;
    for (const auto& request : requests) {
        auto& of = best[request.input];
        if (of.empty())
            of = beamSearch(
                policy.model(), inputs[static_cast<std::size_t>(request.input)], options,
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

std::vector<Sample> sampleVerified(const Policy& policy, const std::vector<ModelInput>& inputs,
                                   const std::vector<SampleRequest>& requests,
                                   const VerifiedSampling& sampling)
{
    if (sampling.beam > 0)
        return searched(policy, inputs, requests, sampling);
    std::vector<IncrementalVerifier> verifiers(sampling.verifier ? requests.size() : 0);
    std::vector<int> lengths(requests.size());
    std::size_t tokens = 0;
    const TokenHook hook = [&](std::size_t request, std::int32_t token) -> std::optional<std::string> {
        const bool finished = token == policy.tokenizer().end();
        std::optional<std::string> reason;
        if (!finished) {
            ++tokens;
            if (sampling.progress)
                sampling.progress(tokens);
            const auto bytes = policy.tokenizer().bytes(token);
            if (sampling.onToken)
                sampling.onToken(request, bytes);
            if (!verifiers.empty())
                if (const auto stop = verifiers[request].feed(bytes))
                    reason = stopWords(*stop);
        }
        const bool longest = ++lengths[request] >= sampling.options.maxTokens;
        if (sampling.onEnd && (finished || reason || longest))
            sampling.onEnd(request, reason.value_or(std::string()));
        return reason;
    };
    const auto reading = [&] {
        if (sampling.progress)
            sampling.progress(tokens);
    };
    return policy.generate(inputs, requests, sampling.options, hook, sampling.cancel, reading);
}

} // namespace sparserl
