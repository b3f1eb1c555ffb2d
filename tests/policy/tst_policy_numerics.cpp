// SPDX-License-Identifier: Apache-2.0
#include "tst_policy.h"

#include "policy/kernels/token_statistics.h"
#include "policy/t5/plain_forward.h"

#include <QtTest>
#include <torch/optim.h>

using namespace sparserl;
using torch::Tensor;

namespace {

/// A model of the fixture's shape with its weights; the matrix embedding is not used by these tests.
std::shared_ptr<T5Model> fixtureModel(const SafeTensors& file, bool gated)
{
    T5Config config{.vocab_size = 37,
                    .d_model = 24,
                    .d_kv = 8,
                    .d_ff = 40,
                    .num_layers = 2,
                    .num_decoder_layers = 3,
                    .num_heads = 2,
                    .relative_attention_num_buckets = 8,
                    .relative_attention_max_distance = 12};
    config.gated = gated;
    config.tie_word_embeddings = !gated;
    const EmbeddingConfig embedding{.mode = EmbeddingMode::Raw};
    auto model = std::make_shared<T5Model>(config, embedding, ModelHead::Vocabulary);
    SafeTensors weights;
    for (const auto& [name, tensor] : file.tensors) {
        if (!name.starts_with("fixture."))
            weights.tensors.emplace_back(name, tensor);
    }
    weights.tensors.emplace_back("matrix.entry.weight", torch::zeros({24, 2}));
    weights.tensors.emplace_back("matrix.entry.bias", torch::zeros({24}));
    const auto ok = model->importTensors(weights, "fixture");
    if (!ok)
        qWarning("%s", ok.error().sentence().c_str());
    return ok ? model : nullptr;
}

/// Attention with a dense bias, by LibTorch's own operations.
Tensor composedAttention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias, bool causal)
{
    Tensor scores = torch::matmul(q, k.transpose(-1, -2)) + bias;
    if (causal)
        scores = scores.masked_fill(torch::ones_like(scores).triu(1).to(torch::kBool),
                                    -std::numeric_limits<float>::infinity());
    return torch::matmul(torch::softmax(scores, -1), v);
}

} // namespace

void TestNumerics::bucketsAsHuggingFace()
{
    const auto file = readSafeTensors(fixture("t5_buckets.safetensors"));
    QVERIFY(file);
    const std::int64_t* both = file->find("both")->const_data_ptr<std::int64_t>();
    const std::int64_t* causal = file->find("causal")->const_data_ptr<std::int64_t>();
    for (int relative = -300; relative <= 300; ++relative) {
        QCOMPARE(std::int64_t(relativePositionBucket(relative, true, 32, 128)), both[relative + 300]);
        QCOMPARE(std::int64_t(relativePositionBucket(relative, false, 32, 128)), causal[relative + 300]);
    }
}

void TestNumerics::forwardAndGradientsAsHuggingFace_data()
{
    QTest::addColumn<bool>("gated");
    QTest::addColumn<bool>("plain");
    QTest::newRow("v1.0, ReLU, tied") << false << false;
    QTest::newRow("v1.1, gated GELU, untied") << true << false;
    QTest::newRow("v1.0, as on a GPU") << false << true;
    QTest::newRow("v1.1, as on a GPU") << true << true;
}

void TestNumerics::forwardAndGradientsAsHuggingFace()
{
    QFETCH(bool, gated);
    const auto file = readSafeTensors(fixture(gated ? "t5_gated.safetensors" : "t5_relu.safetensors"));
    QVERIFY2(file, file ? "" : file.error().sentence().c_str());
    const auto model = fixtureModel(*file, gated);
    QVERIFY(model);
    QFETCH(bool, plain);
    model->moveTo({.plainOperations = plain});
    const Tensor embeds = *file->find("fixture.embeds"), lengths = *file->find("fixture.lengths");
    const Tensor targets = *file->find("fixture.targets");
    EncoderOutput encoded;
    encoded.offsets = {0};
    std::vector<Tensor> rows;
    for (int m = 0; m < 3; ++m) {
        const auto length = lengths[m].item<std::int64_t>();
        rows.push_back(embeds[m].narrow(0, 0, length));
        encoded.offsets.push_back(encoded.offsets.back() + length);
    }
    encoded.hidden = model->encodeEmbedded(torch::cat(rows), encoded.offsets);
    for (int m = 0; m < 3; ++m) {
        const auto length = encoded.offsets[m + 1] - encoded.offsets[m];
        QVERIFY(maxDifference(encoded.hidden.narrow(0, encoded.offsets[m], length),
                              (*file->find("fixture.encoder"))[m].narrow(0, 0, length)) < 1e-5);
    }
    const Tensor ids = torch::cat({torch::zeros({3, 1}, torch::kInt64), targets.narrow(1, 0, 16)}, 1);
    const Tensor hidden = model->decode(ids.flatten().contiguous(), {0, 17, 34, 51}, encoded, {0, 1, 2});
    const Tensor logits = model->applyHead(hidden);
    const double difference = maxDifference(logits.view({3, 17, 37}), *file->find("fixture.logits"));
    QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));

    const auto [logp, entropy] = fusedTokenStatistics(logits, targets.flatten().contiguous(), 1.0, false);
    QVERIFY(!entropy.defined());
    QVERIFY(maxDifference(logp.view({3, 17}), *file->find("fixture.logp")) < 1e-5);
    logp.sum().backward();
    // Fused weights: gradients are compared where Hugging Face's stand in ours.
    std::map<std::string, Tensor> grads;
    for (const auto& [name, tensor] : model->parameters()) {
        grads[name] = tensor.grad();
        if (name.ends_with(".qkv.weight"))
            grads[name.substr(0, name.size() - 10) + "k.weight"] = tensor.grad().chunk(3, 0)[1];
        if (name.ends_with(".kv.weight"))
            grads[name.substr(0, name.size() - 9) + "v.weight"] = tensor.grad().chunk(2, 0)[1];
    }
    int compared = 0;
    for (const auto& [name, expected] : file->tensors) {
        if (!name.starts_with("fixture.grad."))
            continue;
        const Tensor got = grads[name.substr(13)];
        QVERIFY2(got.defined(), name.c_str());
        const double scale = expected.abs().max().item<double>();
        const double off = maxDifference(got, expected) / scale;
        QVERIFY2(off < 2e-5, qPrintable(QString::fromStdString(name) + QStringLiteral(": %1").arg(off)));
        ++compared;
    }
    QCOMPARE(compared, 7);
}

void TestNumerics::fusedAttentionAsComposed()
{
    torch::manual_seed(5);
    const std::int64_t heads = 3, width = 8, inner = heads * width;
    const Offsets offsets{0, 150, 157, 158}, keyOffsets{0, 70, 81};
    const std::int64_t longest = 160;
    const std::vector<int> inputOf{1, 0, 1};
    Tensor qkv = torch::randn({158, 3 * inner}).requires_grad_(),
           bias = torch::randn({heads, 2 * longest - 1}).requires_grad_();
    Tensor query = torch::randn({158, inner}).requires_grad_(),
           keyValue = torch::randn({81, 2 * inner}).requires_grad_();
    const Tensor weight = torch::randn({158, inner});
    for (const bool causal : {false, true}) {
        std::vector<Tensor> parts;
        for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
            const std::int64_t n = offsets[b + 1] - offsets[b];
            const auto rows = qkv.narrow(0, offsets[b], n).view({n, 3, heads, width}).permute({1, 2, 0, 3});
            const Tensor index =
                torch::arange(n).unsqueeze(0) - torch::arange(n).unsqueeze(1) + (longest - 1);
            const Tensor dense = bias.index_select(1, index.flatten()).view({heads, n, n});
            parts.push_back(composedAttention(rows[0], rows[1], rows[2], dense, causal)
                                .permute({1, 0, 2})
                                .reshape({n, inner}));
        }
        const Tensor expected = torch::cat(parts), got = selfAttention(qkv, bias, offsets, causal);
        QVERIFY(maxDifference(got, expected) < 1e-5);
        const auto want = torch::autograd::grad({(expected * weight).sum()}, {qkv, bias});
        const auto have = torch::autograd::grad({(got * weight).sum()}, {qkv, bias});
        QVERIFY(maxDifference(have[0], want[0]) < 2e-5);
        QVERIFY(maxDifference(have[1], want[1]) < 2e-4);
    }
    // Two heads see the edges of a tree only; the last two positions of the first sequence are words.
    auto tree = std::make_shared<TreeMask>();
    tree->heads = 2;
    std::vector<Tensor> hidden;
    Rng rng(2);
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
        const std::int64_t n = offsets[b + 1] - offsets[b], words = b == 0 ? 2 : 0;
        Tensor seen = torch::eye(n);
        std::vector<std::int32_t> parents;
        for (std::int64_t i = 0; i < n - words; ++i) {
            parents.push_back(i == 0 ? -1 : std::int32_t(rng.below(std::uint64_t(i))));
            if (i > 0)
                seen[i][parents.back()] = seen[parents.back()][i] = 1;
        }
        parents.resize(std::size_t(n), TreeMask::noNode);
        if (words > 0) {
            seen.narrow(0, n - words, words).fill_(1);
            seen.narrow(1, n - words, words).fill_(1);
        }
        tree->parents.push_back(parents);
        hidden.push_back(
            torch::zeros({n, n}).masked_fill(seen == 0, -std::numeric_limits<float>::infinity()));
    }
    {
        std::vector<Tensor> parts;
        for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
            const std::int64_t n = offsets[b + 1] - offsets[b];
            const auto rows = qkv.narrow(0, offsets[b], n).view({n, 3, heads, width}).permute({1, 2, 0, 3});
            const Tensor index =
                torch::arange(n).unsqueeze(0) - torch::arange(n).unsqueeze(1) + (longest - 1);
            const Tensor dense = bias.index_select(1, index.flatten()).view({heads, n, n}) +
                                 torch::stack({hidden[b], hidden[b], torch::zeros({n, n})});
            parts.push_back(composedAttention(rows[0], rows[1], rows[2], dense, false)
                                .permute({1, 0, 2})
                                .reshape({n, inner}));
        }
        const Tensor expected = torch::cat(parts), got = selfAttention(qkv, bias, offsets, false, tree);
        QVERIFY(maxDifference(got, expected) < 1e-5);
        const auto want = torch::autograd::grad({(expected * weight).sum()}, {qkv, bias});
        const auto have = torch::autograd::grad({(got * weight).sum()}, {qkv, bias});
        QVERIFY(maxDifference(have[0], want[0]) < 2e-5);
        QVERIFY(maxDifference(have[1], want[1]) < 2e-4);
        QVERIFY(maxDifference(got, selfAttention(qkv, bias, offsets, false)) > 1e-2);
    }
    std::vector<Tensor> parts;
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
        const std::int64_t n = offsets[b + 1] - offsets[b], m = inputOf[b],
                           keys = keyOffsets[m + 1] - keyOffsets[m];
        const auto q = query.narrow(0, offsets[b], n).view({n, heads, width}).permute({1, 0, 2});
        const auto kv =
            keyValue.narrow(0, keyOffsets[m], keys).view({keys, 2, heads, width}).permute({1, 2, 0, 3});
        parts.push_back(composedAttention(q, kv[0], kv[1], torch::zeros({1}), false)
                            .permute({1, 0, 2})
                            .reshape({n, inner}));
    }
    const Tensor expected = torch::cat(parts);
    const Tensor got = crossAttention(query, keyValue, offsets, keyOffsets, inputOf, int(heads));
    QVERIFY(maxDifference(got, expected) < 1e-5);
    const auto want = torch::autograd::grad({(expected * weight).sum()}, {query, keyValue});
    const auto have = torch::autograd::grad({(got * weight).sum()}, {query, keyValue});
    QVERIFY(maxDifference(have[0], want[0]) < 2e-5);
    QVERIFY(maxDifference(have[1], want[1]) < 1e-4);
}

void TestNumerics::gradientsAgainstFiniteDifferences()
{
    for (const bool gated : {false, true}) {
        const Policy policy = tinyPolicy(4, gated);
        SequenceBatch batch = someBatch(policy, {9, 4, 1}, 2);
        for (std::size_t m = 0; m < batch.inputs.size(); ++m)
            batch.inputs[m].prompt = {50, 60};
        torch::manual_seed(1);
        const Tensor weight = torch::randn({3, 9}), entropyWeight = torch::randn({3, 9});
        const auto loss = [&] {
            const TokenStatistics s = policy.tokenStatistics(batch, 0.8);
            return ((s.logProbs * weight).to(torch::kFloat64).sum() +
                    (s.entropy * entropyWeight).to(torch::kFloat64).sum());
        };
        loss().backward();
        // Along the gradient itself the directional derivative is its norm: far above the fp32 noise.
        for (const auto& [name, tensor] : policy.parameters()) {
            const Tensor grad = tensor.grad();
            QVERIFY2(grad.defined(), name.c_str());
            const double norm = grad.norm().item<double>();
            QVERIFY2(norm > 0, name.c_str());
            const torch::NoGradGuard guard;
            const Tensor direction = grad / norm, saved = tensor.detach().clone();
            const double h = 2e-3 * std::min(1.0, 5.0 / norm) + 2e-4;
            Tensor(tensor).copy_(saved + h * direction);
            const double above = loss().item<double>();
            Tensor(tensor).copy_(saved - h * direction);
            const double below = loss().item<double>();
            Tensor(tensor).copy_(saved);
            const double slope = (above - below) / (2 * h);
            QVERIFY2(std::abs(slope - norm) < 0.02 * norm + 0.02,
                     qPrintable(QString::fromStdString(name) +
                                QStringLiteral(": %1 against %2").arg(slope).arg(norm)));
        }
    }
}

void TestNumerics::statisticsAsComposed()
{
    torch::manual_seed(2);
    Tensor logits = (5 * torch::randn({7, 301})).requires_grad_();
    const Tensor targets = torch::randint(0, 301, {7}, torch::kInt64), weight = torch::randn({7}),
                 other = torch::randn({7});
    const auto pair = [](double temperature, decltype(&fusedTokenStatistics) function) {
        return std::pair(temperature, function);
    };
    for (const auto& [temperature, statistics] :
         {pair(1.0, fusedTokenStatistics), pair(0.7, fusedTokenStatistics), pair(1.5, fusedTokenStatistics),
          pair(1.0, plainTokenStatistics), pair(0.7, plainTokenStatistics)}) {
        const Tensor logp = tokenLogProbs(logits, targets, temperature),
                     entropy = tokenEntropy(logits, temperature);
        const auto [fusedLogp, fusedEntropy] = statistics(logits, targets, temperature, true);
        QVERIFY(maxDifference(logp, fusedLogp) < 1e-5);
        QVERIFY(maxDifference(entropy, fusedEntropy) < 1e-5);
        const auto want = torch::autograd::grad({(logp * weight).sum() + (entropy * other).sum()}, {logits});
        const auto have =
            torch::autograd::grad({(fusedLogp * weight).sum() + (fusedEntropy * other).sum()}, {logits});
        QVERIFY(maxDifference(want[0], have[0]) < 1e-5);
    }
    // Entropy against its definition in fp64, and a certain outcome.
    const Tensor p = torch::softmax(logits.detach().to(torch::kFloat64), -1);
    QVERIFY(maxDifference(tokenEntropy(logits, 1.0), -(p * p.log()).sum(-1)) < 1e-5);
    const Tensor certain = torch::tensor({{100.0f, 0.0f, -100.0f}});
    const auto [sure, none] = fusedTokenStatistics(certain, torch::zeros({1}, torch::kInt64), 1.0, true);
    QVERIFY(sure.item<float>() == 0.0f && std::abs(none.item<float>()) < 1e-30f);
}

void TestNumerics::batchCompositionDoesNotMatter()
{
    const Policy policy = tinyPolicy();
    const torch::NoGradGuard guard;
    SequenceBatch batch = someBatch(policy, {12, 3, 7}, 3);
    batch.inputs = someInputs(policy, 3, true);
    const TokenStatistics together = policy.tokenStatistics(batch);
    const Tensor logits = policy.logits(batch);
    for (int b = 0; b < 3; ++b) {
        SequenceBatch alone;
        alone.inputs = {batch.inputs[batch.inputOf[b]]};
        alone.inputOf = {0};
        alone.targets = {batch.targets[b]};
        const auto n = std::int64_t(batch.targets[b].size());
        QVERIFY(maxDifference(policy.tokenStatistics(alone).logProbs[0],
                              together.logProbs[b].narrow(0, 0, n)) < 1e-5);
        QVERIFY(maxDifference(policy.logits(alone)[0], logits[b].narrow(0, 0, n)) < 1e-5);
        // What is behind a sequence is zero, and the mask follows the length, whatever the tokens are.
        QCOMPARE(together.logProbs[b].narrow(0, n, 12 - n).abs().sum().item<float>(), 0.0f);
        QCOMPARE(together.entropy[b].narrow(0, n, 12 - n).abs().sum().item<float>(), 0.0f);
        QCOMPARE(together.mask[b].sum().item<float>(), float(n));
    }
    // <pad> as a sampled token is a token like any other.
    batch.targets[1] = {0, 0, 2, 0};
    QCOMPARE(policy.tokenStatistics(batch).mask[1].sum().item<float>(), 4.0f);
    // Logits and statistics tell the same.
    const Tensor targets =
        torch::tensor(std::vector<std::int64_t>(batch.targets[0].begin(), batch.targets[0].end()));
    QVERIFY(maxDifference(tokenLogProbs(logits[0], targets, 1.0), together.logProbs[0]) < 1e-5);
}

void TestNumerics::critic()
{
    const Policy policy = tinyPolicy();
    const Critic critic = Critic::fromPolicy(policy, 3);
    const SequenceBatch batch = someBatch(policy, {6, 2}, 2);
    const Tensor values = critic.values(batch);
    QCOMPARE(values.sizes().vec(), (std::vector<std::int64_t>{2, 6}));
    QCOMPARE(values[1].narrow(0, 2, 4).abs().sum().item<float>(), 0.0f);
    // The value of the first token's state knows the matrix only; later tokens do not change it.
    SequenceBatch other = batch;
    other.targets[0].back() = other.targets[0].back() == 7 ? 8 : 7;
    QVERIFY(maxDifference(critic.values(other)[0], values[0]) == 0.0);
    other.targets[0][0] = other.targets[0][0] == 7 ? 8 : 7;
    QVERIFY(maxDifference(critic.values(other)[0][0], values[0][0]) == 0.0);
    QVERIFY(maxDifference(critic.values(other)[0], values[0]) > 1e-4);
    // Own weights, started from the policy's.
    for (const auto& [name, tensor] : critic.parameters()) {
        if (name == "value_head.weight")
            QVERIFY(std::abs(tensor.detach().std().item<double>() - 0.2) < 0.1); // 1 / sqrt(24 + 1)
        if (name == "value_head.bias")
            QCOMPARE(tensor.item<float>(), 0.0f);
    }
    values.sum().backward();
    for (const auto& [name, tensor] : policy.parameters())
        QVERIFY(!tensor.grad().defined());
    const auto dir = TempDir::create();
    QVERIFY(critic.saveFiles(dir->path()));
    const auto loaded = Critic::load(dir->path());
    QVERIFY2(loaded, loaded ? "" : loaded.error().sentence().c_str());
    QVERIFY(maxDifference(loaded->values(batch), values) == 0.0);
}

void TestNumerics::quickstartSize()
{
    T5Model model(T5Config{.vocab_size = 1000}, EmbeddingConfig(), ModelHead::Vocabulary);
    std::int64_t count = 0;
    for (const auto& [name, tensor] : model.parameters())
        count += tensor.numel();
    QVERIFY2(count >= 1'000'000 && count <= 1'500'000, qPrintable(QString::number(count)));
    // Initial deviations of Hugging Face's _init_weights.
    model.initialise(1);
    const auto deviation = [](const Tensor& t) { return t.detach().std().item<double>(); };
    const T5Block& block = model.encoder().blocks[0];
    QVERIFY(std::abs(deviation(model.sharedEmbedding()) - 1.0) < 0.02);
    QVERIFY(std::abs(deviation(block.self.qkv.narrow(0, 0, 128)) * std::sqrt(128.0 * 32) - 1.0) < 0.03);
    QVERIFY(std::abs(deviation(block.self.qkv.narrow(0, 128, 256)) * std::sqrt(128.0) - 1.0) < 0.03);
    QVERIFY(std::abs(deviation(block.self.out) * std::sqrt(128.0) - 1.0) < 0.03);
    QVERIFY(std::abs(deviation(block.feed.in) * std::sqrt(128.0) - 1.0) < 0.03);
    QVERIFY(std::abs(deviation(block.feed.out) * std::sqrt(384.0) - 1.0) < 0.03);
}

void TestNumerics::learnsWhichMatrixIsWhich()
{
    // Four sequences, one for each matrix: the only way to tell them apart is through the encoder.
    const Policy policy = tinyPolicy(12);
    SequenceBatch batch = someBatch(policy, {10, 10, 10, 10}, 4);
    for (auto& target : batch.targets)
        target.back() = Tokenizer::eosId;
    std::vector<Tensor> tensors;
    for (const auto& [name, tensor] : policy.parameters())
        tensors.push_back(tensor);
    torch::optim::Adam adam(tensors, torch::optim::AdamOptions(1e-2));
    double loss = 0;
    for (int step = 0; step < 150; ++step) {
        adam.zero_grad();
        const TokenStatistics s = policy.tokenStatistics(batch, 1.0, false);
        const Tensor mean = -s.logProbs.sum() / s.mask.sum();
        mean.backward();
        adam.step();
        loss = mean.item<double>();
    }
    QVERIFY2(loss < 0.1, qPrintable(QString::number(loss)));
    const auto samples =
        policy.generate(batch.inputs, {{0, 1}, {1, 1}, {2, 1}, {3, 1}}, {.greedy = true, .maxTokens = 12});
    for (int i = 0; i < 4; ++i) {
        QVERIFY(samples[i].tokens == batch.targets[i]);
        QVERIFY(samples[i].finished);
    }
}
