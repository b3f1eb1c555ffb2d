// SPDX-License-Identifier: Apache-2.0
#include "policy/sampling/batch_decoder.h"
#include "policy/sampling/sample_progress.h"

#include <ATen/DeviceAccelerator.h>
#include <numeric>

namespace sparserl {

namespace {

/// More sequences than these do not make a step faster per sequence.
constexpr std::int64_t mostRows = 1024;
/// A decoder goes on with fewer rows when so many are left that it saves at least half of the work, but not
/// below this: recording graphs anew costs some steps.
constexpr std::int64_t fewestRows = 64;

/// Half of the memory that is free, in sequences.
std::int64_t rowsThatFit(const LanguageModel& model, const ReadInputs& inputs, int maxTokens)
{
    if (model.compute().device.is_cpu())
        return 64;
    const double free = double(at::accelerator::getMemoryInfo(model.compute().device.index()).first);
    return std::clamp(std::int64_t(free / 2 / model.bytesOfSequence(inputs, maxTokens)), std::int64_t(1),
                      mostRows);
}

/// A wave of requests that begin together.
struct Wave
{
    const std::vector<SampleRequest>& requests;
    const SamplingOptions& options;
    const TokenHook& hook;
    const CancelToken& cancel;
    std::vector<Sample>& samples;
    std::size_t first = 0, count = 0;

    void write(const LanguageModel& model, const std::shared_ptr<const ReadInputs>& read) const;
};

void Wave::write(const LanguageModel& model, const std::shared_ptr<const ReadInputs>& read) const
{
    const std::span<const SampleRequest> own(requests.data() + first, count);
    BatchDecoder decoder(model, read, own, options);
    std::vector<std::int64_t> running(count);
    std::iota(running.begin(), running.end(), 0);
    auto rows = std::int64_t(count);
    decoder.step();
    for (int t = 0; !running.empty() && !cancel.cancelled(); ++t) {
        if (t + 1 < decoder.steps())
            decoder.step(); // computed while this one's tokens are looked at
        const auto tokens = decoder.tokens(t);
        std::erase_if(running, [&](std::int64_t i) {
            const std::size_t request = first + std::size_t(i);
            if (std::size_t(t) < requests[request].prefix.size())
                return false;
            return takeToken(samples[request], request, static_cast<std::int32_t>(tokens[std::size_t(i)]),
                             options, hook);
        });
        const auto left = std::int64_t(running.size());
        if (left > 0 && 2 * left <= rows && rows > fewestRows) {
            decoder.keep(running);
            rows = left;
        }
    }
    const torch::Tensor logProbs = decoder.logProbs(), behaviour = decoder.behaviourLogProbs();
    for (std::size_t i = 0; i < count; ++i) {
        Sample& sample = samples[first + i];
        for (std::size_t t = 0; t < sample.tokens.size(); ++t) {
            const std::size_t at = (own[i].prefix.size() + t) * count + i;
            checkProbability(logProbs.const_data_ptr<float>()[at]);
            sample.logProbs.push_back(logProbs.const_data_ptr<float>()[at]);
            sample.behaviourLogProbs.push_back(behaviour.const_data_ptr<float>()[at]);
        }
    }
}

} // namespace

std::vector<Sample> generateTogether(const LanguageModel& model, const std::vector<ModelInput>& inputs,
                                     const std::vector<SampleRequest>& requests,
                                     const SamplingOptions& options, const TokenHook& hook,
                                     const CancelToken& cancel, const std::function<void()>& reading)
{
    std::vector<Sample> samples(requests.size());
    const torch::NoGradGuard guard;
    const auto read = readInputs(model, inputs, cancel, reading);
    if (!read) {
        markCancelled(samples, options);
        return samples;
    }
    const auto side = std::size_t(
        options.batch > 0 ? options.batch
                          : rowsThatFit(model, *read, longestPrefix(requests) + options.maxTokens));
    // Waves of one size: the last is not a small one.
    const std::size_t waves = (requests.size() + side - 1) / side;
    for (std::size_t w = 0; w < waves && !cancel.cancelled(); ++w) {
        const std::size_t first = requests.size() * w / waves;
        Wave{requests, options, hook, cancel, samples, first, requests.size() * (w + 1) / waves - first}
            .write(model, read);
    }
    markCancelled(samples, options); // all others have ended
    return samples;
}

} // namespace sparserl
