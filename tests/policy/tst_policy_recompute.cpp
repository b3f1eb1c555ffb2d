// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing: the same numbers for fewer bytes.
#include "policy/model/head_rows.h"
#include "tests/policy/tiny_causal.h"
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

/// Bytes of tensors on this thread: of those that live at once, at most, and of the largest.
class TensorBytes : public c10::MemoryReportingInfoBase
{
public:
    void reportMemoryUsage(void*, int64_t bytes, std::size_t, std::size_t, c10::Device) override
    {
        live += bytes;
        most = std::max(most, live);
        largest = std::max(largest, bytes);
    }
    bool memoryProfilingEnabled() const override { return true; }

    std::int64_t live = 0, most = 0, largest = 0;
};

/// A causal model or a T5 of two tiny layers with a vocabulary that outweighs them.
Policy wordyPolicy(bool causal, int vocabulary)
{
    std::shared_ptr<LanguageModel> model;
    if (causal) {
        CausalConfig shape = test::tinyCausalConfig("llama");
        shape.vocab_size = vocabulary;
        const EmbeddingConfig embedding{.maxEntries = 20, .peDim = 8, .featureTokens = 2};
        auto made = std::make_shared<CausalModel>(shape, embedding, ModelHead::Vocabulary);
        SafeTensors weights = test::tinyCausalWeights(shape, 3);
        made->initialiseMatrix(5, 1.0);
        for (const auto& [name, tensor] : made->parameters()) {
            if (name.starts_with("matrix."))
                weights.tensors.emplace_back(name, tensor);
        }
        if (const auto status = made->importTensors(weights, "wordy"); !status)
            qFatal("%s", status.error().sentence().c_str());
        made->learn();
        model = std::move(made);
    } else {
        T5Config shape;
        shape.vocab_size = vocabulary;
        shape.d_model = 32;
        shape.d_kv = 16;
        shape.d_ff = 64;
        shape.num_layers = shape.num_decoder_layers = 2;
        shape.num_heads = 2;
        auto made = std::make_shared<T5Model>(shape, EmbeddingConfig(), ModelHead::Vocabulary);
        made->initialise(1);
        model = std::move(made);
    }
    return Policy::ofModel({}, Tokenizer(), std::move(model));
}

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
    if (vocabulary > 1000)                       // not all at once, recomputed or not
        QVERIFY2(double(kept) < 1.5 * head, qPrintable(QString::number(kept)));
    else
        QVERIFY2(double(again) < 0.45 * double(kept), qPrintable(QString::number(again)));
    QVERIFY(again < kept);
    QVERIFY(again > std::int64_t(shape.num_decoder_layers) * 2400 * 32 * 4); // what goes into layers is kept
}

void TestRecompute::logitsAreNeverWhole_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<bool>("plain");
    for (const char* kind : {"t5", "causal", "adapters"}) {
        QTest::addRow("%s", kind) << QString::fromLatin1(kind) << false;
        QTest::addRow("%s, as a GPU", kind) << QString::fromLatin1(kind) << true;
    }
}

/// A large vocabulary, and more tokens than one piece has: no tensor is as large as all logits, neither on
/// the way forth nor back, and numbers and gradients are those of logits that are computed at once.
void TestRecompute::logitsAreNeverWhole()
{
    QFETCH(QString, kind);
    QFETCH(bool, plain);
    constexpr int vocabulary = 12000;
    constexpr std::int64_t rows = 3 * 500;
    static_assert(headRows(vocabulary, false) < rows);
    Policy policy = wordyPolicy(kind != u"t5", vocabulary);
    if (kind == u"adapters") {
        auto adapted = withAdapters(policy, {.rank = 2, .alpha = 4, .targets = {"q_proj", "down_proj"}}, 5);
        QVERIFY2(adapted, adapted ? "" : adapted.error().sentence().c_str());
        policy = std::move(*adapted);
        policy.learn();
    }
    policy.moveTo({.plainOperations = plain});
    const SequenceBatch batch = someBatch(policy, std::vector<int>(3, 500), 1);
    const auto bytes = std::make_shared<TensorBytes>();
    std::map<std::string, Tensor> got;
    Tensor logProbs, entropy;
    {
        const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, bytes);
        got = gradientsOf(policy.parameters(), [&] {
            const auto statistics = policy.tokenStatistics(batch, 0.8);
            logProbs = statistics.logProbs.detach();
            entropy = statistics.entropy.detach();
            return weighted(statistics.logProbs) + weighted(statistics.entropy);
        });
        const torch::NoGradGuard without;
        policy.tokenStatistics(batch, 0.8, false);
    }
    QVERIFY2(bytes->largest < rows * vocabulary * 4 / 2, qPrintable(QString::number(bytes->largest)));
    Tensor targets = torch::zeros({3, 500}, torch::kInt64);
    for (int b = 0; b < 3; ++b)
        for (int t = 0; t < 500; ++t)
            targets[b][t] = batch.targets[std::size_t(b)][std::size_t(t)];
    double difference = 1;
    const auto expected = gradientsOf(policy.parameters(), [&] {
        const Tensor logits = policy.logits(batch);
        const Tensor p = tokenLogProbs(logits, targets, 0.8), h = tokenEntropy(logits, 0.8);
        difference = std::max(maxDifference(p.detach(), logProbs), maxDifference(h.detach(), entropy));
        return weighted(p) + weighted(h);
    });
    QVERIFY2(difference < 1e-4, qPrintable(QString::number(difference)));
    compare(got, expected, 1e-4);
}
