// SPDX-License-Identifier: Apache-2.0
// One executable for everything that needs LibTorch: linking and loading it is what costs time.
#include "tst_policy.h"

#include "policy/policy/policy_import.h"

#include <QCoreApplication>
#include <QtTest>

#include <cstdio>
#include <fstream>
#include <string_view>

using namespace sparserl;

std::string fixture(const std::string& name)
{
    return std::string(SPARSERL_SOURCE_DIR "/tests/policy/fixtures/") + name;
}

Policy tinyPolicy(std::uint64_t seed, bool gated, EmbeddingMode mode)
{
    T5Config shape;
    PolicyConfig config;
    shape = {.d_model = 24, .d_kv = 8, .d_ff = 40, .num_layers = 2, .num_decoder_layers = 2, .num_heads = 2};
    shape.relative_attention_num_buckets = 8;
    shape.relative_attention_max_distance = 12;
    shape.gated = gated;
    config.embedding.mode = mode;
    config.embedding.maxEntries = 20;
    config.embedding.peDim = 8;
    config.embedding.featureTokens = 2;
    Policy policy = *Policy::create(config, shape, Tokenizer(), seed);
    const torch::NoGradGuard guard;
    Rng rng(seed + 77);
    for (auto& [name, tensor] : policy.parameters()) {
        if (name.ends_with("norm.weight")) {
            for (std::int64_t i = 0; i < tensor.numel(); ++i)
                tensor.data_ptr<float>()[i] = float(1 + 0.3 * rng.normal());
        }
    }
    return policy;
}

const T5Model& t5Of(const Policy& policy)
{
    return dynamic_cast<const T5Model&>(policy.model());
}

std::vector<ModelInput> someInputs(const Policy& policy, int count, bool prompts)
{
    Rng rng(9);
    std::vector<ModelInput> inputs;
    for (int i = 0; i < count; ++i) {
        Csr m;
        m.rows = m.cols = 4 + 3 * i;
        for (int r = 0; r < m.rows; ++r) {
            for (int c = 0; c < m.cols; ++c) {
                if (rng.chance(0.3)) {
                    m.col.push_back(c);
                    m.val.push_back(1.0f);
                }
            }
            m.rowPtr.push_back(int(m.col.size()));
        }
        ModelInput input{std::make_shared<MatrixTokens>(policy.matrixTokens(m, 3)), {}};
        if (prompts)
            input.prompt.assign(std::size_t(i), 40 + i);
        inputs.push_back(std::move(input));
    }
    return inputs;
}

SequenceBatch someBatch(const Policy& policy, const std::vector<int>& lengths, int inputs)
{
    Rng rng(11);
    SequenceBatch batch;
    batch.inputs = someInputs(policy, inputs);
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        batch.inputOf.push_back(int(b) % inputs);
        std::vector<std::int32_t> target;
        for (int t = 0; t < lengths[b]; ++t)
            target.push_back(std::int32_t(rng.below(std::uint64_t(policy.tokenizer().vocabSize()))));
        batch.targets.push_back(std::move(target));
    }
    return batch;
}

SequenceBatch unevenBatch(const Policy& policy)
{
    SequenceBatch batch = someBatch(policy, {7, 1, 18, 33, 5, 16, 2}, 3);
    batch.inputs = someInputs(policy, 4, true);
    batch.inputOf = {2, 0, 2, 1, 0, 2, 1};
    return batch;
}

double maxDifference(const torch::Tensor& a, const torch::Tensor& b)
{
    if (a.sizes() != b.sizes())
        return std::numeric_limits<double>::infinity();
    return a.numel() == 0 ? 0.0 : (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
}

namespace {

/// What a child does whose memory is measured: imports a model or loads a policy, and prints the kilobytes
/// that it had at most.
int tellPeak(const std::string& from, const std::string& to)
{
    if (to.empty() ? !Policy::load(from) : !importPolicy(from, to, {}))
        return 1;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:"))
            std::puts(line.substr(6).c_str());
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 4 && std::string_view(argv[1]) == tellPeakOption)
        return tellPeak(argv[2], argv[3]);
    QCoreApplication app(argc, argv);
    int failed = 0;
    TestNumerics numerics;
    failed += QTest::qExec(&numerics, argc, argv);
    TestPlain plain;
    failed += QTest::qExec(&plain, argc, argv);
    TestRecompute recompute;
    failed += QTest::qExec(&recompute, argc, argv);
    TestSampling sampling;
    failed += QTest::qExec(&sampling, argc, argv);
    TestClasses classes;
    failed += QTest::qExec(&classes, argc, argv);
    TestCausal causal;
    failed += QTest::qExec(&causal, argc, argv);
    TestLora lora;
    failed += QTest::qExec(&lora, argc, argv);
    TestFiles files;
    failed += QTest::qExec(&files, argc, argv);
    TestImport import;
    failed += QTest::qExec(&import, argc, argv);
    return failed;
}
