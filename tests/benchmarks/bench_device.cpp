// SPDX-License-Identifier: Apache-2.0
// A policy on a device against the same policy by the CPU's kernels (numbers), and how fast the device trains
// and writes. The peer in plain PyTorch is tests/tools/bench_eager_t5.py; policy_gpu.md holds both. Needs no
// Qt. Usage: bench_device DEVICE [agreement|speed|all] [fp32|bf16]; "plain" as DEVICE: the CPU by the
// operations of a GPU.
#include "bench_shapes.h"
#include "machine/freed_memory.h"
#include "policy/compute/cuda_part.h"
#include "training/learning/optimizer.h"

#include <ATen/DeviceAccelerator.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

using namespace sparserl;

namespace {

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

torch::Tensor lossOf(const Policy& policy, const SequenceBatch& batch, bool withEntropy)
{
    const TokenStatistics s = policy.tokenStatistics(batch, 1.0, withEntropy);
    torch::Tensor sum = -s.logProbs.sum();
    if (withEntropy)
        sum = sum - 0.01 * s.entropy.sum();
    return sum / s.mask.sum();
}

/// Norm of the difference of two lists of tensors over the norm of the second.
double relative(const std::vector<torch::Tensor>& got, const std::vector<torch::Tensor>& expected)
{
    double errors = 0, squares = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const torch::Tensor a = got[i].detach().to(torch::kCPU, torch::kFloat64),
                            b = expected[i].detach().to(torch::kFloat64);
        errors += (a - b).square().sum().item<double>();
        squares += b.square().sum().item<double>();
    }
    return std::sqrt(errors / squares);
}

struct Learned
{
    torch::Tensor logProbs;
    std::vector<torch::Tensor> gradients, weights;
};

Learned learn(Policy& policy, const SequenceBatch& batch)
{
    Learned learned;
    Adam adam(policy.parameters(), {.weightDecay = 0.01});
    for (int step = 0; step < 3; ++step) {
        adam.zeroGradients();
        lossOf(policy, batch, true).backward();
        if (step == 0) {
            const torch::NoGradGuard guard;
            learned.logProbs = policy.tokenStatistics(batch, 1.0, false).logProbs;
            for (const auto& [name, tensor] : policy.parameters())
                learned.gradients.push_back(tensor.grad().to(torch::kCPU).clone());
        }
        adam.clipGradients(1.0);
        adam.step(1e-3);
    }
    for (const auto& [name, tensor] : policy.parameters())
        learned.weights.push_back(tensor.detach().to(torch::kCPU).clone());
    return learned;
}

std::vector<SampleRequest> requestsOf(int count)
{
    std::vector<SampleRequest> requests;
    for (int i = 0; i < count; ++i)
        requests.push_back({i % 8, std::uint64_t(100 + i)});
    return requests;
}

/// Whether a figure keeps its bound; the table says so.
bool within(const char* what, double value, double bound)
{
    std::printf("  %-58s %10.3g  %s %g\n", what, value, value <= bound ? "within" : "BEYOND", bound);
    return value <= bound;
}

bool agreement(const Shape& shape, const Compute& compute)
{
    const Policy start = makePolicy(shape);
    const SequenceBatch batch = makeBatch(start, 24, 120, true);
    Policy reference = start.clone(), policy = start.clone();
    policy.moveTo(compute);
    const bool half = compute.precision == torch::kBFloat16;
    std::printf("agreement with the CPU's kernels: %s, %s\n", shape.name, compute.text().c_str());
    const Learned expected = learn(reference, batch), got = learn(policy, batch);
    bool ok = within("log-probabilities, largest difference",
                     (got.logProbs - expected.logProbs).abs().max().item<double>(), half ? 0.1 : 1e-4);
    ok &= within("log-probabilities, mean difference",
                 (got.logProbs - expected.logProbs).abs().mean().item<double>(), half ? 2e-2 : 1e-4);
    ok &= within("gradients, relative", relative(got.gradients, expected.gradients), half ? 2e-2 : 1e-4);
    std::vector<torch::Tensor> gotChange, expectedChange;
    std::size_t at = 0;
    for (const auto& [name, tensor] : start.parameters()) {
        gotChange.push_back(got.weights[at] - tensor.detach());
        expectedChange.push_back(expected.weights[at++] - tensor.detach());
    }
    std::printf("  %-58s %10.3g\n", "what 3 steps of Adam changed, relative",
                relative(gotChange, expectedChange));

    // Sampling: the same draws, and log-probabilities that the training forward repeats.
    Policy writer = start.clone(), other = start.clone();
    other.moveTo(compute);
    for (const SamplingOptions& options :
         {SamplingOptions{.maxTokens = 100},
          SamplingOptions{
              .temperature = 0.8, .topK = 40, .topP = 0.9, .maxTokens = 100, .broadFraction = 0.3}}) {
        const auto requests = requestsOf(96);
        const auto a = writer.generate(batch.inputs, requests, options),
                   b = other.generate(batch.inputs, requests, options);
        std::size_t same = 0;
        double behaviour = 0;
        SequenceBatch sampled{batch.inputs, {}, {}};
        for (std::size_t i = 0; i < a.size(); ++i) {
            sampled.inputOf.push_back(requests[i].input);
            sampled.targets.push_back(b[i].tokens);
            if (a[i].tokens != b[i].tokens)
                continue;
            ++same;
            for (std::size_t t = 0; t < a[i].tokens.size(); ++t)
                behaviour = std::max(behaviour,
                                     std::abs(double(a[i].behaviourLogProbs[t]) - b[i].behaviourLogProbs[t]));
        }
        const torch::NoGradGuard guard;
        const auto forced = other.tokenStatistics(sampled, options.temperature, false);
        double off = 0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            for (std::size_t t = 0; t < b[i].tokens.size(); ++t)
                off =
                    std::max(off, std::abs(double(b[i].logProbs[t]) -
                                           forced.logProbs[std::int64_t(i)][std::int64_t(t)].item<double>()));
        }
        if (!half) {
            ok &= within("samples: share that differs anywhere", 1 - double(same) / double(a.size()), 0.05);
            ok &= within("samples: behaviour log-probability", behaviour, 1e-3);
        }
        ok &= within("samples: log-probability against the training forward", off, half ? 0.1 : 1e-3);
    }
    return ok;
}

void finish(const Compute& compute)
{
    if (!compute.device.is_cpu())
        at::accelerator::synchronizeDevice(compute.device.index());
}

void trainingSpeed(Policy& policy, const Compute& compute)
{
    const bool cpu = compute.device.is_cpu(); // what takes seconds needs fewer rounds
    for (const auto& [count, uneven] : {std::pair{32, false}, {128, false}, {32, true}, {128, true}}) {
        SequenceBatch batch = makeBatch(policy, count, 180, false);
        double tokens = 0;
        for (std::size_t b = 0; b < batch.targets.size(); ++b) {
            if (uneven) // as in tests/tools/bench_eager_t5.py
                batch.targets[b].resize(40 + 37 * b % 141);
            tokens += static_cast<double>(batch.targets[b].size());
        }
        Adam adam(policy.parameters(), {});
        double best = 1e9, forward = 1e9, backward = 1e9;
        for (int step = 0; step < (cpu ? 4 : 12); ++step) {
            finish(compute);
            const double start = now();
            adam.zeroGradients();
            const torch::Tensor loss = lossOf(policy, batch, false);
            const double middle = now();
            loss.backward();
            finish(compute);
            const double last = now();
            adam.clipGradients(1.0);
            adam.step(1e-4);
            finish(compute);
            best = std::min(best, now() - start);
            forward = std::min(forward, middle - start);
            backward = std::min(backward, last - middle);
        }
        std::printf(
            "  training step, %3d x %s tokens: %8.2f ms, %9.0f tokens/s (forward %.2f, backward %.2f)\n",
            count, uneven ? "40 to 180" : "180", 1e3 * best, tokens / best, 1e3 * forward, 1e3 * backward);
    }
    if (!cpu) {
        // As in training: no two batches have the same lengths.
        Adam adam(policy.parameters(), {});
        std::vector<double>
            rates; // the median: what a shape costs when it is first seen is not what a run costs
        for (int step = 0; step < 31; ++step) {
            const SequenceBatch batch = makeBatch(policy, 32, 100 + 5 * step, true, std::uint64_t(step));
            finish(compute);
            const double start = now();
            adam.zeroGradients();
            lossOf(policy, batch, false).backward();
            adam.clipGradients(1.0);
            adam.step(1e-4);
            finish(compute);
            double tokens = 0;
            for (const auto& target : batch.targets)
                tokens += double(target.size());
            rates.push_back(tokens / (now() - start));
        }
        std::nth_element(rates.begin(), rates.begin() + 15, rates.end());
        std::printf("  training steps of other lengths, median:      %9.0f tokens/s\n", rates[15]);
    }
}

void writingSpeed(Policy& policy, const Compute& compute)
{
    const bool cpu = compute.device.is_cpu();
    {
        // A policy that ends a program only by the limit, so that the work is known.
        const torch::NoGradGuard guard;
        for (auto& [name, tensor] : policy.parameters()) {
            if (name == "shared.weight")
                tensor[Tokenizer::eosId].zero_();
        }
    }
    const SequenceBatch batch = makeBatch(policy, 8, 8, false);
    for (const int count : {64, 512}) {
        double best = 1e9;
        std::size_t tokens = 0;
        for (int round = 0; round < (cpu ? 2 : 4); ++round) {
            const double start = now();
            const auto samples = policy.generate(batch.inputs, requestsOf(count), {.maxTokens = 200});
            best = std::min(best, now() - start);
            tokens = 0;
            for (const Sample& s : samples)
                tokens += s.tokens.size();
        }
        std::printf("  writing %3d x 200 tokens (%6zu):  %8.2f ms, %9.0f tokens/s\n", count, tokens,
                    1e3 * best, double(tokens) / best);
    }
}

void speed(const Shape& shape, const Compute& compute, const std::string& what)
{
    Policy policy = makePolicy(shape);
    policy.moveTo(compute);
    std::printf("speed: %s, %lld parameters, %s\n", shape.name, (long long)policy.parameterCount(),
                compute.text().c_str());
    if (what != "writing")
        trainingSpeed(policy, compute);
    if (what != "training")
        writingSpeed(policy, compute);
}

} // namespace

int main(int argc, char** argv)
{
    keepFreedMemory(); // as sparserl-training does
    const std::string device = argc > 1 ? argv[1] : "auto", what = argc > 2 ? argv[2] : "all";
    const std::string only = argc > 3 ? argv[3] : "";
    bool ok = true;
    for (const char* precision : {"fp32", "bf16"}) {
        if (!only.empty() && only != precision)
            continue;
        auto compute = computeFor(device == "plain" ? "cpu" : device, precision);
        if (!compute) {
            std::printf("%s\n", compute.error().sentence().c_str());
            return 1;
        }
        compute->plainOperations = device == "plain";
        if (!compute->device.is_cpu()) {
            std::string why;
            if (!graphRecorder(&why))
                std::printf("%s\n", why.c_str());
        }
        for (const Shape& shape : benchShapes) {
            if (what == "all" || what == "agreement")
                ok &= agreement(shape, *compute);
            if (what != "agreement")
                speed(shape, *compute, what);
        }
    }
    std::printf(ok ? "all within their bounds\n" : "NOT all within their bounds\n");
    return ok ? 0 : 1;
}
