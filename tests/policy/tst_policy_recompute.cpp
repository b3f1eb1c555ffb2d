// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing: the same numbers for fewer bytes.
#include "tst_policy.h"

#include <QtTest>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

using namespace sparserl;
using torch::Tensor;

namespace {

/// Every token has a weight of its own.
Tensor weighted(const Tensor& values)
{
    torch::manual_seed(3);
    return (values * torch::randn(values.sizes())).sum();
}

std::map<std::string, Tensor> gradientsOf(const NamedTensors& parameters, const std::function<Tensor()>& loss)
{
    for (const auto& [name, tensor] : parameters)
        tensor.mutable_grad() = Tensor();
    loss().backward();
    std::map<std::string, Tensor> gradients;
    for (const auto& [name, tensor] : parameters)
        gradients[name] = tensor.grad();
    return gradients;
}

std::map<std::string, Tensor> gradientsOf(const Policy& policy, const SequenceBatch& batch,
                                          double temperature)
{
    return gradientsOf(policy.parameters(), [&] {
        const auto statistics = policy.tokenStatistics(batch, temperature);
        return weighted(statistics.logProbs) + weighted(statistics.entropy);
    });
}

TokenStatistics withoutGradients(const Policy& policy, const SequenceBatch& batch, double temperature)
{
    const torch::NoGradGuard guard;
    return policy.tokenStatistics(batch, temperature);
}

/// Largest difference over the largest value.
double off(const Tensor& got, const Tensor& expected)
{
    return maxDifference(got, expected) / (1e-12 + expected.abs().max().item<double>());
}

void compare(const std::map<std::string, Tensor>& got, const std::map<std::string, Tensor>& expected,
             double bound)
{
    QCOMPARE(got.size(), expected.size());
    for (const auto& [name, tensor] : expected) {
        QVERIFY2(tensor.defined() == got.at(name).defined(), name.c_str());
        if (!tensor.defined())
            continue;
        const double difference = off(got.at(name), tensor);
        QVERIFY2(difference < bound, (name + " " + std::to_string(difference)).c_str());
    }
}

/// Bytes of tensors that live at once on this thread, at most.
class TensorBytes : public c10::MemoryReportingInfoBase
{
public:
    void reportMemoryUsage(void*, int64_t bytes, std::size_t, std::size_t, c10::Device) override
    {
        live += bytes;
        most = std::max(most, live);
    }
    bool memoryProfilingEnabled() const override { return true; }

    std::int64_t live = 0, most = 0;
};

} // namespace

void TestRecompute::gradientsStay_data()
{
    QTest::addColumn<bool>("gated");
    QTest::addColumn<bool>("plain");
    QTest::addColumn<bool>("half");
    QTest::addColumn<QString>("embedding");
    const QString usual = QStringLiteral("sinusoidal+structure");
    QTest::newRow("kernels, ReLU") << false << false << false << usual;
    QTest::newRow("kernels, gated") << true << false << false << usual;
    QTest::newRow("kernels, quad-tree attention")
        << false << false << false << QStringLiteral("quadtree-attention");
    QTest::newRow("as a GPU, ReLU") << false << true << false << usual;
    QTest::newRow("as a GPU, gated") << true << true << false << usual;
    QTest::newRow("as a GPU, quad-tree attention")
        << true << true << false << QStringLiteral("quadtree-attention");
    QTest::newRow("bf16") << false << true << true << usual;
}

void TestRecompute::gradientsStay()
{
    QFETCH(bool, gated);
    QFETCH(bool, plain);
    QFETCH(bool, half);
    QFETCH(QString, embedding);
    Policy policy = tinyPolicy(4, gated, *embeddingModeFromName(embedding.toStdString()));
    const SequenceBatch batch = unevenBatch(policy);
    Compute compute;
    compute.plainOperations = plain;
    compute.precision = half ? torch::kBFloat16 : torch::kFloat32;
    for (const double temperature : {1.0, 0.7}) {
        compute.recompute = false;
        policy.moveTo(compute);
        const auto kept = gradientsOf(policy, batch, temperature);
        const auto statistics = withoutGradients(policy, batch, temperature);
        compute.recompute = true;
        policy.moveTo(compute);
        const auto again = gradientsOf(policy, batch, temperature);
        compare(again, kept, half ? 2e-2 : 1e-6);
        // Also where no gradient is asked for, and where the entropy is not.
        const auto same = withoutGradients(policy, batch, temperature);
        QVERIFY(maxDifference(same.logProbs, statistics.logProbs) < 1e-6);
        QVERIFY(maxDifference(same.entropy, statistics.entropy) < 1e-6);
        QVERIFY(!policy.tokenStatistics(batch, temperature, false).entropy.defined());
    }
}

void TestRecompute::criticAndFrozenParts()
{
    Policy policy = tinyPolicy(5);
    const SequenceBatch batch = unevenBatch(policy);
    Critic critic = Critic::fromPolicy(policy, 3);
    const auto values = [&] { return weighted(critic.values(batch)); };
    const auto kept = gradientsOf(critic.parameters(), values);
    critic.moveTo({.recompute = true});
    compare(gradientsOf(critic.parameters(), values), kept, 1e-6);

    // As in pretraining: what reads matrices stays.
    for (const bool plain : {false, true}) {
        for (const auto& [name, tensor] : policy.parameters())
            tensor.requires_grad_(!name.starts_with("encoder.") && !name.starts_with("matrix."));
        policy.moveTo({.plainOperations = plain});
        const auto expected = gradientsOf(policy, batch, 1.0);
        QVERIFY(!expected.at("matrix.entry.weight").defined() && expected.at("shared.weight").defined());
        policy.moveTo({.plainOperations = plain, .recompute = true});
        compare(gradientsOf(policy, batch, 1.0), expected, 1e-6);
    }
}

void TestRecompute::takesLessMemory_data()
{
    QTest::addColumn<bool>("plain");
    QTest::addColumn<int>("vocabulary");
    QTest::newRow("kernels, layers count") << false << 260;
    QTest::newRow("as a GPU, layers count") << true << 260;
    QTest::newRow("kernels, the vocabulary counts") << false << 16000;
    QTest::newRow("as a GPU, the vocabulary counts") << true << 16000;
}

void TestRecompute::takesLessMemory()
{
    QFETCH(bool, plain);
    QFETCH(int, vocabulary);
    T5Config shape;
    shape.vocab_size = vocabulary;
    shape.d_model = 32;
    shape.d_kv = 16;
    shape.d_ff = 128;
    shape.num_layers = 2;
    shape.num_decoder_layers = vocabulary > 1000 ? 2 : 8;
    shape.num_heads = 2;
    auto model = std::make_shared<T5Model>(shape, EmbeddingConfig(), ModelHead::Vocabulary);
    model->initialise(1);
    Policy policy = Policy::ofModel({}, Tokenizer(), model);
    const SequenceBatch batch = someBatch(policy, std::vector<int>(6, 400), 2);
    const auto peak = [&](bool recompute) {
        policy.moveTo({.plainOperations = plain, .recompute = recompute});
        gradientsOf(policy, batch, 1.0); // gradients of parameters are there then
        const auto bytes = std::make_shared<TensorBytes>();
        const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, bytes);
        const auto statistics = policy.tokenStatistics(batch, 1.0);
        (weighted(statistics.logProbs) + weighted(statistics.entropy)).backward();
        return bytes->most;
    };
    const auto kept = peak(false), again = peak(true);
    qInfo("%.1f MB kept, %.1f MB recomputed", double(kept) / 1e6, double(again) / 1e6);
    const double head = 2400.0 * vocabulary * 4; // the logits alone
    QVERIFY(double(kept) > head);
    QVERIFY2(double(again) < 0.45 * double(kept), qPrintable(QString::number(again)));
    QVERIFY(again > std::int64_t(shape.num_decoder_layers) * 2400 * 32 * 4); // what goes into layers is kept
}
