// SPDX-License-Identifier: Apache-2.0
#include "policy/sampling/generate.h"

#include "base/rng.h"
#include "policy/sampling/batch_decoder.h"
#include "policy/sampling/sample_progress.h"
#include "policy/sampling/sampler.h"

#include <algorithm>

namespace sparserl {

namespace {

/// A sequence that is being written.
struct Running
{
    std::size_t request;
    Rng rng;
};

} // namespace

std::shared_ptr<const ReadInputs> readInputs(const LanguageModel& model,
                                             const std::vector<ModelInput>& inputs, const CancelToken& cancel,
                                             const std::function<void()>& reading)
{
    return model.read(inputs, [&] {
        if (reading)
            reading();
        return !cancel.cancelled();
    });
}

std::vector<Sample> generate(const LanguageModel& model, const std::vector<ModelInput>& inputs,
                             const std::vector<SampleRequest>& requests, const SamplingOptions& options,
                             const TokenHook& hook, const CancelToken& cancel,
                             const std::function<void()>& reading)
{
    TORCH_CHECK(options.check().has_value(), "sampling options must be checked by the caller");
    std::vector<Sample> samples(requests.size());
    if (requests.empty())
        return samples;
    const torch::NoGradGuard guard;
    if (model.stepsJointly())
        return generateTogether(model, inputs, requests, options, hook, cancel, reading);
    const auto read = readInputs(model, inputs, cancel, reading);
    if (!read) {
        markCancelled(samples, options);
        return samples;
    }
    const int places = static_cast<int>(
        std::min<std::size_t>(requests.size(), std::size_t(options.batch > 0 ? options.batch : 64)));
    const auto stepper = model.stepper(read, places, longestPrefix(requests) + options.maxTokens);
    const int vocabulary = model.vocabSize();

    std::vector<Running> running;
    std::vector<int> place;
    std::vector<std::int32_t> token;
    std::size_t next = 0;
    const auto begin = [&](int at) {
        stepper->start(at, requests[next].input, requests[next].prefix);
        place.push_back(at);
        token.push_back(0); // not looked at
        running.push_back({next, Rng(requests[next].seed)});
        ++next;
    };
    for (int at = 0; at < places; ++at)
        begin(at);

    std::vector<Draw> draws;
    std::vector<int> freed;
    while (!running.empty() && !cancel.cancelled()) {
        draws.assign(running.size(), {});
        stepper->step(place, token, [&](std::size_t i, const float* logits) {
            thread_local TokenSampler sampler;
            draws[i] = sampler.draw(logits, vocabulary, options, running[i].rng);
        });
        std::size_t kept = 0;
        freed.clear();
        for (std::size_t i = 0; i < running.size(); ++i) {
            Sample& sample = samples[running[i].request];
            const Draw& draw = draws[i];
            sample.logProbs.push_back(draw.logProb);
            sample.behaviourLogProbs.push_back(draw.behaviourLogProb);
            if (takeToken(sample, running[i].request, draw.token, options, hook)) {
                freed.push_back(place[i]);
                continue;
            }
            running[kept] = running[i];
            place[kept] = place[i];
            token[kept] = draw.token;
            ++kept;
        }
        running.erase(running.begin() + std::ptrdiff_t(kept), running.end());
        place.resize(kept);
        token.resize(kept);
        for (std::size_t i = 0; i < freed.size() && next < requests.size(); ++i)
            begin(freed[i]);
    }
    if (cancel.cancelled())
        markCancelled(samples, options);
    return samples;
}

} // namespace sparserl
