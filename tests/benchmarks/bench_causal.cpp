// SPDX-License-Identifier: Apache-2.0
// A causal model at real size: how long it takes to load, to write with many sequences, to train adapters,
// and to do one iteration of GRPO, with the peak of the GPU's memory. The peer, transformers and PEFT, is
// tests/tools/bench_hf_causal.py, which also makes models with random weights; policy_causal.md holds both.
#include "base/rng.h"
#include "policy/compute/compute.h"
#include "policy/policy/policy_adapters.h"
#include "policy/policy/policy_import.h"
#include "training/learning/learner.h"

#include <ATen/DeviceAccelerator.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

struct Options
{
    std::string model, device = "cuda", precision = "bf16";
    int batch = 64, tokens = 512, prompt = 128, train = 0, rank = 32, group = 0, response = 1024;
};

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Waits for the device, starts a new peak, and returns the former peak in GB (0 on a CPU).
double peak(const Compute& compute)
{
    if (compute.device.is_cpu())
        return 0;
    const auto index = compute.device.index();
    at::accelerator::synchronizeDevice(index);
    const auto stats = at::accelerator::getDeviceStats(index);
    at::accelerator::resetPeakStats(index);
    return double(stats.allocated_bytes[0].peak) / 1e9;
}

std::vector<std::int32_t> drawn(const Policy& policy, int count, std::uint64_t seed)
{
    std::vector<std::int32_t> tokens;
    Rng rng(seed);
    for (int t = 0; t < count; ++t)
        tokens.push_back(std::int32_t(rng.below(std::uint64_t(policy.vocabSize() - 3)) + 3));
    return tokens;
}

/// Copies the model to a policy if that has not been done, and reads the policy.
Policy loaded(const Options& options, const Compute& compute)
{
    const fs::path directory = options.model + "-policy";
    double start = now();
    if (!fs::exists(directory)) {
        const auto report = importPolicy(options.model, directory, {});
        if (!report) {
            std::printf("%s\n", report.error().sentence().c_str());
            std::exit(1);
        }
        std::printf("imported %lld weights in %.1f s\n", static_cast<long long>(report->weights),
                    now() - start);
    }
    double bytes = 0;
    for (const auto& entry : fs::directory_iterator(directory))
        bytes += double(entry.file_size());
    start = now();
    auto policy = Policy::load(directory);
    if (!policy) {
        std::printf("%s\n", policy.error().sentence().c_str());
        std::exit(1);
    }
    const double read = now() - start;
    policy->moveTo(compute);
    const double memory = peak(compute);
    std::printf("loaded %.2f GB in %.2f s, on %s after %.2f s, peak %.1f GB\n", bytes / 1e9, read,
                compute.text().c_str(), now() - start, memory);
    return std::move(*policy);
}

/// Sequences for one input; returns them.
std::vector<Sample> write(const Policy& policy, const Options& options, int count, int tokens, int rounds)
{
    const std::vector<ModelInput> inputs{{nullptr, drawn(policy, options.prompt, 1)}};
    std::vector<SampleRequest> requests;
    for (int i = 0; i < count; ++i)
        requests.push_back({0, std::uint64_t(i)});
    SamplingOptions sampling;
    sampling.maxTokens = tokens;
    sampling.batch = count;
    sampling.end = -1; // no sequence ends early, as with the peer
    std::vector<Sample> samples;
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const double start = now();
        samples = policy.generate(inputs, requests, sampling);
        best = std::min(best, now() - start);
    }
    double written = 0;
    for (const Sample& sample : samples)
        written += double(sample.tokens.size());
    const double memory = peak(policy.model().compute());
    std::printf("writing %d x %d tokens after %d: %.3f s, %.0f tokens/s, peak %.1f GB\n", count, tokens,
                options.prompt, best, written / best, memory);
    return samples;
}

Policy adapted(const Policy& policy, const Options& options, const Compute& compute)
{
    auto own = withAdapters(policy, {.rank = options.rank, .alpha = 2.0 * options.rank}, 1);
    if (!own) {
        std::printf("%s\n", own.error().sentence().c_str());
        std::exit(1);
    }
    own->moveTo(compute);
    own->learn();
    return std::move(*own);
}

void train(const Policy& policy, const Options& options, const Compute& compute)
{
    const Policy learner = adapted(policy, options, compute);
    Adam adam(learner.parameters(), {}, true);
    SequenceBatch batch;
    batch.inputs.push_back({nullptr, drawn(policy, 1, 2)});
    batch.inputOf.push_back(0);
    batch.targets.push_back(drawn(policy, options.train, 3));
    peak(compute);
    double best = 1e9;
    for (int step = 0; step < 6; ++step) {
        const double start = now();
        adam.zeroGradients();
        const auto statistics = learner.tokenStatistics(batch, 1.0, false);
        (-statistics.logProbs.sum() / double(options.train)).backward();
        adam.clipGradients(1.0);
        adam.step(1e-4);
        if (!compute.device.is_cpu())
            at::accelerator::synchronizeDevice(compute.device.index());
        best = std::min(best, now() - start);
    }
    std::printf("training adapters of rank %d, %d tokens%s: %.3f s a step, %.0f tokens/s, peak %.1f GB\n",
                options.rank, options.train, compute.recompute ? ", recomputing" : "", best,
                options.train / best, peak(compute));
}

/// One iteration of Dr.GRPO: writing, log-probabilities of the reference, one update.
void iterate(const Policy& policy, const Options& options, const Compute& compute)
{
    Policy actor = adapted(policy, options, compute), reference = actor.clone(false);
    reference.moveTo(compute);
    reference.shareFrozen(actor);
    const double start = now();
    const auto samples = write(actor, options, options.group, options.response, 1);
    Experience experience;
    experience.batch.inputs.push_back({nullptr, drawn(policy, options.prompt, 1)});
    for (const Sample& sample : samples) {
        experience.batch.inputOf.push_back(0);
        experience.batch.targets.push_back(sample.tokens);
        experience.samplerLogProbs.push_back(sample.logProbs);
        experience.scores.push_back(double(experience.scores.size() % 3));
        experience.groups.push_back(0);
    }
    RlSettings settings;
    settings.critic = false;
    settings.minibatch = options.group;
    settings.microBatch = 1;
    Learner learner(std::move(actor), std::move(reference), std::nullopt, settings, 0, 0, 10000);
    Metrics metrics;
    const auto targets = learner.prepare(experience, settings, metrics);
    learner.update(experience, *targets, settings, false, Rng(1), {});
    const double memory = peak(compute);
    std::printf("one iteration, %d responses of %d tokens, micro-batches of 1%s: %.1f s, peak %.1f GB; "
                "log-probabilities of the sampler differ by %.2g on average\n",
                options.group, options.response, compute.recompute ? ", recomputing" : "", now() - start,
                memory, metrics.at("sampling/sampling_logp_difference/mean"));
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    bool recompute = false;
    CLI::App app("Times a causal model.");
    app.add_option("MODEL", options.model, "Directory of a Hugging Face model.")->required();
    app.add_option("--device", options.device);
    app.add_option("--precision", options.precision);
    app.add_option("--batch", options.batch, "Sequences to write; 0: none.");
    app.add_option("--tokens", options.tokens, "Tokens of each.");
    app.add_option("--prompt", options.prompt, "Tokens of the prompt.");
    app.add_option("--train", options.train, "Tokens of a training step; 0: no training.");
    app.add_option("--rank", options.rank, "Rank of the adapters.");
    app.add_option("--group", options.group, "Responses of an iteration of Dr.GRPO; 0: none.");
    app.add_option("--response", options.response, "Tokens of each of these responses.");
    app.add_flag("--recompute", recompute, "Compute activations again in the backward pass.");
    CLI11_PARSE(app, argc, argv);
    auto compute = computeFor(options.device, options.precision);
    if (!compute) {
        std::printf("%s\n", compute.error().sentence().c_str());
        return 1;
    }
    compute->recompute = recompute;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const Policy policy = loaded(options, *compute);
    if (options.batch > 0)
        write(policy, options, options.batch, options.tokens, 3);
    if (options.train > 0)
        train(policy, options, *compute);
    if (options.group > 0)
        iterate(policy, options, *compute);
}
