// SPDX-License-Identifier: Apache-2.0
#include "policy/sampling/sampling.h"

#include "base/failure.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace sparserl {

Status SamplingOptions::check() const
{
    if (!(temperature > 0) || !(broadTemperature > 0))
        return fail(fmt::format("the sampling temperature is {}", temperature),
                    "Give a number above 0; for the most likely program use greedy");
    if (topK < 0)
        return fail(fmt::format("top_k is {}", topK), "Give 0 to switch it off, or a positive number");
    if (!(topP > 0 && topP <= 1))
        return fail(fmt::format("top_p is {}", topP), "Give a number in (0, 1]");
    if (!(broadFraction >= 0 && broadFraction <= 1))
        return fail(fmt::format("the broad share is {}", broadFraction), "Give a number in [0, 1]");
    if (maxTokens < 1 || maxTokens > 65536 || batch < 0 || batch > 65536)
        return fail(fmt::format("{} tokens in batches of {} cannot be sampled", maxTokens, batch),
                    "Give 1 to 65536 tokens and a batch from 0 to 65536");
    return {};
}

void checkProbability(float value)
{
    if (std::isnan(value) || value == std::numeric_limits<float>::infinity())
        throw Failure({"The policy gives no probabilities: its layers overflow with these weights",
                       {},
                       0,
                       "Take an earlier checkpoint, or another policy"});
}

int longestPrefix(const std::vector<SampleRequest>& requests)
{
    std::size_t longest = 0;
    for (const SampleRequest& request : requests)
        longest = std::max(longest, request.prefix.size());
    return static_cast<int>(longest);
}

} // namespace sparserl
