// SPDX-License-Identifier: Apache-2.0
#include "policy/sampling/sample_progress.h"

namespace sparserl {

namespace {

bool hasEnded(const Sample& sample, const SamplingOptions& options)
{
    return sample.finished || sample.stopped || int(sample.tokens.size()) >= options.maxTokens;
}

} // namespace

bool takeToken(Sample& sample, std::size_t request, std::int32_t token, const SamplingOptions& options,
               const TokenHook& hook)
{
    sample.tokens.push_back(token);
    sample.finished = token == options.end;
    if (hook) {
        if (auto reason = hook(request, token); reason && !sample.finished) {
            sample.stopped = true;
            sample.stopReason = std::move(*reason);
        }
    }
    return hasEnded(sample, options);
}

void markCancelled(std::vector<Sample>& samples, const SamplingOptions& options)
{
    for (Sample& sample : samples) {
        if (hasEnded(sample, options))
            continue;
        sample.stopped = true;
        sample.stopReason = "cancelled";
    }
}

} // namespace sparserl
