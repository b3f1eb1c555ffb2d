// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/endpoint_samples.h"

#include "base/json.h"
#include "kernel/verifier.h"
#include "training/sampling/stop_words.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sparserl {

namespace {

using nlohmann::json;

/// A member of an object, or null if there is none.
const json* memberOf(const json& object, const char* name)
{
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() && !found->is_null() ? &*found : nullptr;
}

template <typename T>
std::optional<std::vector<T>> listIn(const json& object, const char* name)
{
    const json* list = memberOf(object, name);
    return list != nullptr ? jsonAs<std::vector<T>>(*list) : std::nullopt;
}

/// "token_id:17", as vLLM writes tokens if asked to.
std::optional<std::vector<std::int32_t>> namedIds(const json& object)
{
    constexpr std::string_view before = "token_id:";
    const auto names = listIn<std::string>(object, "tokens");
    if (!names)
        return std::nullopt;
    std::vector<std::int32_t> ids;
    for (const std::string& name : *names) {
        std::int32_t id = -1;
        const char* const end = name.data() + name.size();
        if (!name.starts_with(before) || std::from_chars(name.data() + before.size(), end, id).ptr != end ||
            id < 0)
            return std::nullopt;
        ids.push_back(id);
    }
    return ids;
}

/// A list of objects with id and logprob, as llama.cpp writes them.
bool readContent(const json& content, Sample& sample)
{
    if (!content.is_array())
        return false;
    for (const json& token : content) {
        const auto id = jsonValue(token, "id", std::int32_t(-1));
        const auto logProb = jsonValue(token, "logprob", std::numeric_limits<float>::quiet_NaN());
        if (id < 0 || std::isnan(logProb))
            return false;
        sample.tokens.push_back(id);
        sample.logProbs.push_back(logProb);
    }
    sample.behaviourLogProbs = sample.logProbs;
    return !sample.tokens.empty();
}

bool readNumbers(const json& choice, Sample& sample)
{
    const json* given = memberOf(choice, "logprobs");
    if (given == nullptr)
        return false;
    if (const json* content = memberOf(*given, "content"))
        return readContent(*content, sample);
    auto ids = listIn<std::int32_t>(*given, "token_ids");
    if (!ids)
        ids = listIn<std::int32_t>(choice, "token_ids");
    if (!ids)
        ids = namedIds(*given);
    auto logProbs = listIn<float>(*given, "token_logprobs");
    if (!ids || !logProbs || ids->empty())
        return false;
    sample.tokens = std::move(*ids);
    sample.logProbs = std::move(*logProbs);
    sample.behaviourLogProbs = listIn<float>(*given, "behaviour_logprobs").value_or(sample.logProbs);
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
