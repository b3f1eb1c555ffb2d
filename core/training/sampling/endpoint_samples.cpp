// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/endpoint_samples.h"

#include "base/json.h"
#include "base/json_member.h"
#include "endpoint/token_numbers.h"
#include "kernel/verifier.h"
#include "training/sampling/stop_words.h"

#include <cmath>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace sparserl {

namespace {

using nlohmann::json;

bool readNumbers(const json& choice, Sample& sample)
{
    TokenNumbers numbers = tokenNumbersIn(choice);
    if (!numbers.ids || !numbers.logProbs || numbers.ids->empty())
        return false;
    sample.tokens = std::move(*numbers.ids);
    sample.logProbs = std::move(*numbers.logProbs);
    sample.behaviourLogProbs =
        numbers.behaviourLogProbs ? std::move(*numbers.behaviourLogProbs) : sample.logProbs;
    return true;
}

Status checkSample(const Sample& sample, const Policy& policy, const SamplesAsked& asked, bool ended)
{
    const auto wrong = [](const std::string& what) { return fail("a sample of the server " + what); };
    const std::int32_t end = policy.tokenizer().end();
    if (sample.tokens.size() != sample.logProbs.size() ||
        sample.tokens.size() != sample.behaviourLogProbs.size())
        return wrong(fmt::format("has {} tokens and {} log-probabilities", sample.tokens.size(),
                                 sample.logProbs.size()));
    if (sample.tokens.size() > static_cast<std::size_t>(asked.maxTokens))
        return wrong(
            fmt::format("has {} tokens instead of {} at most", sample.tokens.size(), asked.maxTokens));
    constexpr float rounding = 1e-3f;
    for (std::size_t i = 0; i < sample.tokens.size(); ++i) {
        if (sample.tokens[i] < 0 || sample.tokens[i] >= policy.vocabSize())
            return wrong(fmt::format("has the token {}, which the policy does not have", sample.tokens[i]));
        if (sample.tokens[i] == end && i + 1 < sample.tokens.size())
            return wrong("goes on behind its end");
        for (const float logProb : {sample.logProbs[i], sample.behaviourLogProbs[i]})
            if (!std::isfinite(logProb) || logProb > rounding)
                return wrong(fmt::format("has a log-probability of {}", logProb));
        // The loss divides by the second one, and only the first one is compared with the policy's.
        if (!asked.greedy && std::abs(sample.logProbs[i] - sample.behaviourLogProbs[i]) > rounding)
            return wrong(fmt::format("was drawn with a log-probability of {} instead of {}",
                                     sample.behaviourLogProbs[i], sample.logProbs[i]));
    }
    if (ended && sample.tokens.back() != end)
        return fail("the server leaves out the token that ends a program, so its probability is unknown",
                    "Use `sparserl serve`, or a server that gives the end token, too");
    return {};
}

} // namespace

Status checkChoices(const json& answer, std::size_t count)
{
    const json* choices = memberOf(answer, "choices");
    if (choices == nullptr || !choices->is_array())
        return fail("the answer has no choices");
    if (choices->size() != count)
        return fail(fmt::format("the answer has {} choices instead of {}", choices->size(), count));
    std::vector<bool> seen(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto index = jsonValue((*choices)[i], "index", static_cast<std::int64_t>(i));
        if (index < 0 || index >= static_cast<std::int64_t>(count) || seen[static_cast<std::size_t>(index)])
            return fail("the choices of the answer are not numbered");
        seen[static_cast<std::size_t>(index)] = true;
    }
    return {};
}

Result<std::vector<Sample>> samplesInAnswer(const json& answer, const Policy& policy,
                                            const SamplesAsked& asked)
{
    SPARSERL_CHECK(checkChoices(answer, asked.count));
    std::vector<Sample> samples(asked.count);
    for (std::size_t i = 0; i < asked.count; ++i) {
        const json& choice = answer["choices"][i];
        Sample& sample =
            samples[static_cast<std::size_t>(jsonValue(choice, "index", static_cast<std::int64_t>(i)))];
        if (!readNumbers(choice, sample))
            return fail("the server gives no token IDs with log-probabilities, which training needs",
                        "Use `sparserl serve`, or a server with this ability");
        const std::string reason = jsonValue(choice, "finish_reason", std::string());
        SPARSERL_CHECK(checkSample(sample, policy, asked, reason == "stop"));
        sample.finished = sample.tokens.back() == policy.tokenizer().end();
    }
    return samples;
}

void stopByVerifier(Sample& sample, const Tokenizer& tokenizer)
{
    IncrementalVerifier verifier;
    for (std::size_t i = 0; i < sample.tokens.size() && sample.tokens[i] != tokenizer.end(); ++i) {
        const auto stop = verifier.feed(tokenizer.bytes(sample.tokens[i]));
        if (!stop)
            continue;
        sample.tokens.resize(i + 1);
        sample.logProbs.resize(i + 1);
        sample.behaviourLogProbs.resize(i + 1);
        sample.finished = false;
        sample.stopped = true;
        sample.stopReason = stopWords(*stop);
        return;
    }
}

} // namespace sparserl
