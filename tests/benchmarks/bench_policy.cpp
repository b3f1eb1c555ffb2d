// SPDX-License-Identifier: Apache-2.0
// Speed of the quickstart's policy: tokenizer, teacher-forced training step, sampling. Prints a table; the
// same work by Hugging Face's T5 is in tests/tools/bench_hf_t5.py, and policy.md holds both. Usage:
// bench_policy [threads] [programs]; with 1 thread processor time is printed
#include "base/rng.h"
#include "bench_matrix.h"
#include "corpus/corpus.h"
#include "policy/policy/policy.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <torch/optim.h>

using namespace sparserl;

namespace {

/// With one thread this is what the work costs even on a busy machine; with more it is wall-clock time.
bool cpuTime = false;

double now()
{
    if (cpuTime)
        return double(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<std::string> programs(int count)
{
    std::vector<std::string> texts;
    const Rng root(1);
    for (int i = 0; i < count; ++i) {
        Rng rng = root.derive(std::uint64_t(i));
        if (auto program = sampleProgram(Task::SpMV, {}, rng))
            texts.push_back(std::move(program->text));
    }
    return texts;
}

void tokenizers(const std::vector<std::string>& texts)
{
    for (const PreTokenizer rule : {PreTokenizer::Code, PreTokenizer::Gpt2}) {
        for (const int maxBytes : {16, 32, 64}) {
            const double start = now();
            const auto tokenizer =
                Tokenizer::train(texts, {.vocabSize = 1000, .preTokenizer = rule, .maxTokenBytes = maxBytes});
            const double trained = now();
            std::size_t tokens = 0, longest = 0, over = 0, bytes = 0;
            for (const std::string& text : texts) {
                const std::size_t n = tokenizer->encode(text).size();
                tokens += n;
                bytes += text.size();
                longest = std::max(longest, n);
                over += n > 249;
            }
            std::printf(
                "tokenizer %s max %2d bytes: trained in %.2f s, encodes %.1f MB/s, tokens mean %.1f max %zu, "
                "%.2f %% over 249\n",
                rule == PreTokenizer::Code ? "code" : "gpt2", maxBytes, trained - start,
                double(bytes) / (now() - trained) / 1e6, double(tokens) / double(texts.size()), longest,
                100.0 * double(over) / double(texts.size()));
        }
    }
}

} // namespace

int main(int argc, char** argv)
{
    const int threads = argc > 1 ? std::atoi(argv[1]) : 2, count = argc > 2 ? std::atoi(argv[2]) : 3000;
    torch::set_num_threads(threads);
    cpuTime = threads == 1;
    const auto texts = programs(count);
    tokenizers(texts);
    const auto tokenizer = Tokenizer::train(texts, {});
    Policy policy = *Policy::create({}, T5Config(), *tokenizer, 1);
    std::printf("parameters: %lld, vocabulary %d, threads %d\n", (long long)policy.parameterCount(),
                policy.tokenizer().vocabSize(), threads);

    std::vector<ModelInput> inputs;
    double start = now();
    for (int m = 0; m < 8; ++m)
        inputs.push_back(
            {std::make_shared<MatrixTokens>(policy.matrixTokens(someMatrix(std::uint64_t(m)), 1)), {}});
    std::printf("matrix tokens: %.2f ms each\n", 1e3 * (now() - start) / 8);

    SequenceBatch batch;
    batch.inputs = inputs;
    for (int b = 0; b < 32; ++b) {
        batch.inputOf.push_back(b % 8);
        std::vector<std::int32_t> target;
        for (int t = 0; t < 180; ++t)
            target.push_back(std::int32_t(260 + (b * 7 + t * 13) % 700));
        batch.targets.push_back(std::move(target));
    }
    std::vector<torch::Tensor> tensors;
    for (const auto& [name, tensor] : policy.parameters())
        tensors.push_back(tensor);
    torch::optim::Adam adam(tensors, torch::optim::AdamOptions(1e-3));
    double best = 1e9, forward = 1e9, update = 1e9;
    for (int step = 0; step < 6; ++step) {
        start = now();
        adam.zero_grad();
        const TokenStatistics s = policy.tokenStatistics(batch, 1.0, false);
        const torch::Tensor loss = -(s.logProbs.sum() / s.mask.sum());
        const double middle = now();
        loss.backward();
        const double last = now();
        adam.step();
        best = std::min(best, now() - start);
        forward = std::min(forward, middle - start);
        update = std::min(update, now() - last);
    }
    std::printf(
        "training step, 32 x 180 tokens, 8 matrices: %.3f s (forward %.3f, Adam %.3f), %.0f tokens/s\n", best,
        forward, update, 32 * 180 / best);

    for (const int sequences : {64, 16}) {
        std::vector<SampleRequest> requests;
        for (int i = 0; i < sequences; ++i)
            requests.push_back({i % 8, std::uint64_t(i)});
        // A policy that ends a program only by the limit, so that the work is known.
        {
            const torch::NoGradGuard guard;
            for (auto& [name, tensor] : policy.parameters()) {
                if (name == "shared.weight")
                    tensor[Tokenizer::eosId].zero_();
            }
        }
        double fastest = 1e9;
        std::size_t tokens = 0;
        for (int round = 0; round < 3; ++round) {
            start = now();
            const auto samples = policy.generate(inputs, requests, {.maxTokens = 200});
            fastest = std::min(fastest, now() - start);
            tokens = 0;
            for (const Sample& s : samples)
                tokens += s.tokens.size();
        }
        std::printf("sampling %d sequences, %zu tokens: %.2f s, %.0f tokens/s\n", sequences, tokens, fastest,
                    double(tokens) / fastest);
    }
}
