// SPDX-License-Identifier: Apache-2.0
// One whole PPO update: log-probabilities of policy and reference, values, GAE, then two epochs of
// minibatches for policy and critic. The same work in plain PyTorch is tests/tools/bench_eager_update.py;
// policy_update.md holds both. Needs no Qt. Usage: bench_update [DEVICE] [THREADS]
#include "bench_shapes.h"
#include "machine/freed_memory.h"
#include "policy/compute/compute.h"
#include "training/learning/learner.h"

#include <ATen/DeviceAccelerator.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace sparserl;

namespace {

constexpr int responses = 64, longest = 200;

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// 64 responses to 8 matrices. Lengths are drawn from half of `longest` to all of it, or all are `longest`.
Experience makeExperience(const Policy& policy, bool uneven)
{
    Experience experience;
    experience.batch = makeBatch(policy, responses, longest, uneven);
    Rng rng(3);
    for (const auto& target : experience.batch.targets) {
        experience.samplerLogProbs.emplace_back(target.size(), -6.9F); // only compared with, in a metric
        experience.scores.push_back(rng.uniform(-1, 1.5));
    }
    for (const int input : experience.batch.inputOf)
        experience.groups.push_back(input);
    return experience;
}

void measure(const Shape& shape, const Compute& compute, bool uneven)
{
    Policy policy = makePolicy(shape), reference = policy.clone(false);
    Critic critic = Critic::fromPolicy(policy, 2);
    policy.moveTo(compute);
    reference.moveTo(compute);
    critic.moveTo(compute);
    const Experience experience = makeExperience(policy, uneven);
    RlSettings settings; // PPO's: two epochs of minibatches of 32
    settings.epochs = 2;
    settings.entropyCoef = 0.01;
    Learner learner(std::move(policy), std::move(reference), std::move(critic), settings, 0.05, 0, 10000);
    double best = 1e9, prepared = 1e9;
    for (int round = 0; round < (compute.device.is_cpu() ? 5 : 12); ++round) {
        const double start = now();
        Metrics metrics;
        const auto targets = learner.prepare(experience, settings, metrics);
        if (!compute.device.is_cpu())
            at::accelerator::synchronizeDevice(compute.device.index());
        const double middle = now();
        learner.update(experience, *targets, settings, false, Rng(std::uint64_t(round)), {});
        if (!compute.device.is_cpu())
            at::accelerator::synchronizeDevice(compute.device.index());
        best = std::min(best, now() - start);
        prepared = std::min(prepared, middle - start);
    }
    double tokens = 0;
    for (const auto& target : experience.batch.targets)
        tokens += double(target.size());
    std::printf(
        "%-10s %s, %d responses of %s tokens: %8.1f ms an update (%.1f before the epochs), %.0f tokens/s\n",
        shape.name, compute.text().c_str(), responses, uneven ? "100 to 199" : "200", 1e3 * best,
        1e3 * prepared, tokens / best);
}

} // namespace

int main(int argc, char** argv)
{
    keepFreedMemory(); // as sparserl-training does
    const std::string device = argc > 1 ? argv[1] : "auto";
    torch::set_num_threads(argc > 2 ? std::atoi(argv[2]) : 1);
    for (const char* precision : {"fp32", "bf16"}) {
        const auto compute = computeFor(device, precision);
        if (!compute) {
            std::printf("%s\n", compute.error().sentence().c_str());
            return 1;
        }
        if (compute->device.is_cpu() && compute->precision != torch::kFloat32)
            continue; // nobody trains so
        for (const Shape& shape : benchShapes) {
            if (compute->device.is_cpu() && &shape != benchShapes)
                continue; // a minute each
            for (const bool uneven : {true, false})
                measure(shape, *compute, uneven);
        }
    }
}
