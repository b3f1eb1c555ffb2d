// SPDX-License-Identifier: Apache-2.0
// The padded path by LibTorch's own operations, which GPUs run, against the kernels of the CPU, which the
// other tests hold against Hugging Face, finite differences and composed operations.
#include "tst_policy.h"

#include "policy/compute/cuda_part.h"
#include "policy/compute/recompute.h"
#include "policy/kernels/head_product.h"
#include "policy/sampling/draw_token.h"
#include "tests/policy/tiny_causal.h"

#include <QtTest>

using namespace sparserl;
using namespace sparserl::test;
using torch::Tensor;

namespace {

Tensor weights(const Tensor& like)
{
    torch::manual_seed(3);
    return torch::randn(like.sizes());
}

struct Outcome
{
    TokenStatistics statistics;
    std::map<std::string, Tensor> gradients;
};

Outcome outcomeOf(const Policy& policy, const SequenceBatch& batch, double temperature)
{
    for (auto& [name, tensor] : policy.parameters())
        tensor.mutable_grad() = Tensor();
    Outcome outcome{policy.tokenStatistics(batch, temperature), {}};
    const Tensor w = weights(outcome.statistics.logProbs);
    ((outcome.statistics.logProbs * w).sum() + (outcome.statistics.entropy * w.flip(0)).sum()).backward();
    for (auto& [name, tensor] : policy.parameters())
        outcome.gradients[name] = tensor.grad();
    return outcome;
}

/// Largest difference over the largest value.
double off(const Tensor& got, const Tensor& expected)
{
    return maxDifference(got, expected) / (1e-12 + expected.abs().max().item<double>());
}

QString say(const std::string& name, double difference)
{
    return QString::fromStdString(name) + QStringLiteral(": %1").arg(difference);
}

} // namespace

void TestPlain::asKernels_data()
{
    QTest::addColumn<bool>("gated");
    QTest::addColumn<bool>("even");
    QTest::addColumn<QString>("embedding");
    const QString usual = QStringLiteral("sinusoidal+structure");
    QTest::newRow("uneven, ReLU") << false << false << usual;
    QTest::newRow("uneven, gated") << true << false << usual;
    QTest::newRow("all alike") << false << true << usual;
    QTest::newRow("quad-tree") << false << false << QStringLiteral("quadtree");
    QTest::newRow("quad-tree attention") << false << false << QStringLiteral("quadtree-attention");
}

void TestPlain::asKernels()
{
    QFETCH(bool, gated);
    QFETCH(bool, even);
    QFETCH(QString, embedding);
    Policy policy = tinyPolicy(4, gated, *embeddingModeFromName(embedding.toStdString()));
    SequenceBatch batch = unevenBatch(policy);
    if (even) {
        // One input and 16 tokens each: no row is padded and none is moved.
        batch = someBatch(policy, {16, 16, 16}, 1);
    }
    for (const double temperature : {1.0, 0.7}) {
        policy.moveTo({});
        const Outcome kernels = outcomeOf(policy, batch, temperature);
        policy.moveTo({.plainOperations = true});
        const Outcome plain = outcomeOf(policy, batch, temperature);
        QVERIFY(maxDifference(plain.statistics.logProbs, kernels.statistics.logProbs) < 1e-5);
        QVERIFY(maxDifference(plain.statistics.entropy, kernels.statistics.entropy) < 1e-5);
        QVERIFY(torch::equal(plain.statistics.mask, kernels.statistics.mask));
        for (const auto& [name, expected] : kernels.gradients) {
            QVERIFY2(plain.gradients.at(name).defined(), name.c_str());
            const double difference = off(plain.gradients.at(name), expected);
            QVERIFY2(difference < 1e-5, qPrintable(say(name, difference)));
        }
        const torch::NoGradGuard guard;
        const Tensor logits = policy.logits(batch);
        policy.moveTo({});
        QVERIFY(maxDifference(logits, policy.logits(batch)) < 1e-4); // logits are up to 30
    }
}

void TestPlain::criticAsKernels()
{
    const Policy policy = tinyPolicy(5);
    const SequenceBatch batch = unevenBatch(policy);
    Critic critic = Critic::fromPolicy(policy, 3);
    const Tensor expected = critic.values(batch);
    const Tensor w = weights(expected);
    (expected * w).sum().backward();
    std::map<std::string, Tensor> gradients;
    for (auto& [name, tensor] : critic.parameters()) {
        gradients[name] = tensor.grad();
        tensor.mutable_grad() = Tensor();
    }
    critic.moveTo({.plainOperations = true});
    const Tensor got = critic.values(batch);
    QVERIFY(maxDifference(got, expected) < 1e-5);
    (got * w).sum().backward();
    for (auto& [name, tensor] : critic.parameters())
        QVERIFY2(off(tensor.grad(), gradients.at(name)) < 1e-5, name.c_str());
}

void TestPlain::halfPrecision()
{
    Policy policy = tinyPolicy(6);
    const SequenceBatch batch = unevenBatch(policy);
    const Outcome full = outcomeOf(policy, batch, 1.0);
    policy.moveTo({.precision = torch::kBFloat16});
    const Outcome half = outcomeOf(policy, batch, 1.0);
    const double difference = maxDifference(half.statistics.logProbs, full.statistics.logProbs);
    QVERIFY(difference > 1e-6); // something was rounded
    const Tensor on = full.statistics.mask > 0;
    const double mean =
        (half.statistics.logProbs - full.statistics.logProbs).abs().masked_select(on).mean().item<double>();
    QVERIFY2(mean < 2e-2, qPrintable(QString::number(mean)));
    double squares = 0, errors = 0;
    for (const auto& [name, tensor] : policy.parameters()) {
        QVERIFY(tensor.scalar_type() == torch::kFloat32);
        const Tensor got = half.gradients.at(name), expected = full.gradients.at(name);
        QVERIFY2(got.defined() && got.scalar_type() == torch::kFloat32, name.c_str());
        errors += (got - expected).square().sum().item<double>();
        squares += expected.square().sum().item<double>();
    }
    QVERIFY2(errors < 0.05 * 0.05 * squares, qPrintable(QString::number(std::sqrt(errors / squares))));
    // The log-probabilities are those of one distribution, not sums of rounded numbers.
    const torch::NoGradGuard guard;
    const Tensor total = torch::logsumexp(policy.logits(batch)[0].narrow(0, 0, 7), -1);
    QVERIFY(total.isfinite().all().item<bool>());
}

void TestPlain::samplesAsKernels_data()
{
    QTest::addColumn<double>("temperature");
    QTest::addColumn<int>("topK");
    QTest::addColumn<double>("topP");
    QTest::addColumn<double>("broad");
    QTest::addColumn<bool>("greedy");
    QTest::addColumn<int>("batch");
    QTest::addColumn<QString>("family"); // of a causal model, "+" for one with adapters; empty: T5
    const QString t5;
    QTest::newRow("plain") << 1.0 << 0 << 1.0 << 0.0 << false << 0 << t5;
    QTest::newRow("three at a time") << 1.0 << 0 << 1.0 << 0.0 << false << 3 << t5;
    QTest::newRow("cooler") << 0.6 << 0 << 1.0 << 0.0 << false << 0 << t5;
    QTest::newRow("top-k") << 1.3 << 5 << 1.0 << 0.0 << false << 0 << t5;
    QTest::newRow("top-p") << 1.3 << 0 << 0.8 << 0.0 << false << 0 << t5;
    QTest::newRow("both and mixture") << 1.3 << 9 << 0.9 << 0.3 << false << 0 << t5;
    QTest::newRow("mixture") << 1.0 << 0 << 1.0 << 0.3 << false << 0 << t5;
    QTest::newRow("greedy") << 1.0 << 0 << 1.0 << 0.0 << true << 0 << t5;
    for (const char* family : {"llama", "qwen2", "qwen3", "glm4", "llama+", "glm4+"})
        QTest::newRow(family) << 1.0 << 0 << 1.0 << 0.0 << false << 0 << QString::fromLatin1(family);
    QTest::newRow("qwen2, three at a time")
        << 0.7 << 0 << 1.0 << 0.0 << false << 3 << QStringLiteral("qwen2");
    QTest::newRow("qwen2, greedy") << 1.0 << 0 << 1.0 << 0.0 << true << 0 << QStringLiteral("qwen2");
}

void TestPlain::samplesAsKernels()
{
    QFETCH(double, temperature);
    QFETCH(int, topK);
    QFETCH(double, topP);
    QFETCH(double, broad);
    QFETCH(bool, greedy);
    QFETCH(int, batch);
    QFETCH(QString, family);
    const bool causal = !family.isEmpty(), adapted = family.endsWith(QLatin1Char('+'));
    const std::string name = family.left(family.size() - (adapted ? 1 : 0)).toStdString();
    Policy policy = causal ? tinyCausalPolicy(name, adapted, 8) : tinyPolicy(8);
    const auto inputs = someInputs(policy, 3, true);
    std::vector<SampleRequest> requests;
    for (int i = 0; i < 150; ++i) { // more than are worth fewer rows once half has ended
        requests.push_back({i % 3, std::uint64_t(1000 + i)});
        if (causal && i % 4 == 1)
            requests.back().prefix.assign(std::size_t(1 + i % 3), std::int32_t(40 + i));
    }
    SamplingOptions options{.temperature = temperature, .topK = topK, .topP = topP, .greedy = greedy};
    options.broadFraction = broad;
    options.maxTokens = 70;
    const auto expected = policy.generate(inputs, requests, options);
    policy.moveTo({.plainOperations = true});
    options.batch = batch == 0 ? 150 : batch;
    const auto samples = policy.generate(inputs, requests, options);
    QCOMPARE(samples.size(), expected.size());
    std::size_t same = 0, ended = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        QCOMPARE(samples[i].logProbs.size(), samples[i].tokens.size());
        QCOMPARE(samples[i].behaviourLogProbs.size(), samples[i].tokens.size());
        ended += samples[i].finished ? 1 : 0;
        // A number that falls between two roundings of a sum may pick another token: hardly ever.
        if (samples[i].tokens != expected[i].tokens)
            continue;
        ++same;
        QCOMPARE(samples[i].finished, expected[i].finished);
        for (std::size_t t = 0; t < samples[i].tokens.size(); ++t) {
            QVERIFY(std::abs(samples[i].logProbs[t] - expected[i].logProbs[t]) < 2e-5);
            QVERIFY(std::abs(samples[i].behaviourLogProbs[t] - expected[i].behaviourLogProbs[t]) < 2e-5);
        }
    }
    QVERIFY2(same >= samples.size() - 2, qPrintable(QString::number(same)));
    QVERIFY(causal || temperature != 1 || greedy || ended > 20);
}

/// The head of a model in bf16 is two products: as one in single precision, forth and back.
void TestPlain::headInTwoProducts()
{
    torch::manual_seed(7);
    const Tensor weight = torch::randn({500, 96}).to(torch::kBFloat16);
    Tensor hidden = torch::randn({40, 96}) * 3, alike = hidden.clone();
    hidden.requires_grad_();
    alike.requires_grad_();
    const Tensor got = headProduct(hidden, weight),
                 expected = torch::mm(alike, weight.to(torch::kFloat32).t());
    QVERIFY(got.scalar_type() == torch::kFloat32);
    QVERIFY2(off(got, expected) < 2e-5, qPrintable(QString::number(off(got, expected))));
    // With one product in bf16, the error would be a hundred times as large.
    const Tensor rounded =
        torch::mm(hidden.detach().to(torch::kBFloat16).to(torch::kFloat32), weight.to(torch::kFloat32).t());
    QVERIFY(off(rounded, expected) > 1e-3);
    const Tensor w = torch::randn(got.sizes());
    (got * w).sum().backward();
    (expected * w).sum().backward();
    QVERIFY(off(hidden.grad(), alike.grad()) < 2e-5);
    QVERIFY(torch::equal(headOperand(weight), weight.to(torch::kFloat32))); // on a CPU
    // By pieces, whose way back computes them again.
    const Tensor before = hidden.grad().clone();
    hidden.mutable_grad() = Tensor();
    const Tensor again =
        recomputed([](const std::vector<Tensor>& of) { return headProduct(of[0], of[1]); }, {hidden, weight});
    QVERIFY(torch::equal(again, got));
    (again * w).sum().backward();
    QVERIFY(torch::equal(hidden.grad(), before));
}

void TestPlain::columnsAreDrawn_data()
{
    QTest::addColumn<int>("columns");
    for (const int columns : {1, 700, 4096, 5000, 151936})
        QTest::addRow("%d", columns) << columns;
}

/// The column that is drawn is the first whose running sum, added up one after the other, exceeds the drawn
/// part of the total. Columns without weight are never drawn.
void TestPlain::columnsAreDrawn()
{
    QFETCH(int, columns);
    constexpr int rows = 60;
    torch::manual_seed(9);
    Tensor weights = torch::rand({rows, columns}).square();
    weights.masked_fill_(torch::rand({rows, columns}) < 0.5, 0.0);
    weights.narrow(1, columns / 2, 1).fill_(0.3);
    Tensor uniform = torch::rand({rows}, torch::kFloat64);
    uniform[0] = 0.0;
    uniform[1] = std::nextafter(1.0, 0.0);
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
        const Tensor drawn = drawColumns(weights.to(type), uniform);
        for (int row = 0; row < rows; ++row) {
            const Tensor own = weights[row].to(torch::kFloat64).contiguous();
            const double* w = own.const_data_ptr<double>();
            const auto column = drawn[row].item<std::int64_t>();
            QVERIFY(column >= 0 && column < columns && w[column] > 0);
            double total = 0, before = 0;
            for (int i = 0; i < columns; ++i) {
                before += i < column ? w[i] : 0;
                total += w[i];
            }
            const double target = uniform[row].item<double>() * total, rounding = 1e-12 * total;
            QVERIFY2(before <= target + rounding && before + w[column] >= target - rounding,
                     qPrintable(QString::number(row)));
        }
    }
}

/// What a causal policy in bf16 writes has the log-probabilities that training gives it.
void TestPlain::sampledAsTrained_data()
{
    QTest::addColumn<QString>("family");
    for (const char* family : {"llama", "qwen2", "qwen3", "glm4"})
        QTest::newRow(family) << QString::fromLatin1(family);
}

void TestPlain::sampledAsTrained()
{
    QFETCH(QString, family);
    Policy policy = tinyCausalPolicy(family.toStdString(), true, 8, torch::kBFloat16);
    policy.moveTo({.precision = torch::kBFloat16});
    SequenceBatch batch;
    batch.inputs = someInputs(policy, 3, true);
    std::vector<SampleRequest> requests;
    for (int i = 0; i < 12; ++i)
        requests.push_back({i % 3, std::uint64_t(i)});
    SamplingOptions options;
    options.maxTokens = 70; // more than a step of keys
    const auto samples = policy.generate(batch.inputs, requests, options);
    double sum = 0, count = 0, largest = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        batch.inputOf.push_back(requests[i].input);
        batch.targets.push_back(samples[i].tokens);
    }
    const torch::NoGradGuard guard;
    const Tensor trained = policy.tokenStatistics(batch, 1.0, false).logProbs;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        for (std::size_t t = 0; t < samples[i].logProbs.size(); ++t) {
            const double difference = std::abs(double(samples[i].logProbs[t]) -
                                               trained[std::int64_t(i)][std::int64_t(t)].item<double>());
            sum += difference;
            largest = std::max(largest, difference);
            ++count;
        }
    }
    QVERIFY(count > 400);
    QVERIFY2(sum / count < 1e-2 && largest < 0.3,
             qPrintable(QStringLiteral("%1 %2").arg(sum / count).arg(largest)));
}

void TestPlain::hookAndCancel()
{
    Policy policy = tinyPolicy(7);
    policy.moveTo({.plainOperations = true});
    const auto inputs = someInputs(policy, 2);
    std::vector<SampleRequest> requests;
    for (int i = 0; i < 8; ++i)
        requests.push_back({i % 2, std::uint64_t(i)});
    const SamplingOptions options{.maxTokens = 50, .batch = 3};
    const auto free = policy.generate(inputs, requests, options);
    std::vector<std::vector<std::int32_t>> seen(8);
    const auto samples =
        policy.generate(inputs, requests, options, [&](std::size_t request, std::int32_t token) {
            seen[request].push_back(token);
            return seen[request].size() == 5 && request % 2 == 0 ? std::optional<std::string>("five")
                                                                 : std::nullopt;
        });
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto& tokens = samples[i].tokens;
        QVERIFY(tokens == seen[i]);
        if (samples[i].stopped) {
            QCOMPARE(samples[i].tokens.size(), std::size_t(5));
            QCOMPARE(samples[i].stopReason, std::string("five"));
            QVERIFY(std::equal(tokens.begin(), tokens.end(), free[i].tokens.begin()));
        } else {
            QVERIFY(samples[i].tokens == free[i].tokens);
        }
    }
    const CancelToken cancel;
    int calls = 0;
    const auto cut = policy.generate(
        inputs, requests, options,
        [&](std::size_t, std::int32_t) {
            if (++calls == 7)
                cancel.cancel();
            return std::nullopt;
        },
        cancel);
    QVERIFY(!cut.front().tokens.empty() && cut.front().logProbs.size() == cut.front().tokens.size());
    QVERIFY(cut.back().stopped && cut.back().stopReason == "cancelled" && cut.back().tokens.empty());
    QVERIFY(policy.generate(inputs, {}, options).empty());
    const CancelToken early; // while the inputs are read
    const auto none = policy.generate(inputs, requests, options, {}, early, [&] { early.cancel(); });
    QVERIFY(none.front().stopped && none.front().tokens.empty());
}

void TestPlain::computeFollowsClones()
{
    Policy policy = tinyPolicy(7);
    policy.moveTo({.precision = torch::kBFloat16, .plainOperations = true});
    QVERIFY(policy.clone(false).model().compute().precision == torch::kBFloat16);
    QVERIFY(!policy.clone(false).parameters().front().second.requires_grad());
    QVERIFY(policy.parameters().front().second.requires_grad());
    QVERIFY(policy.clone().digest() == policy.digest());
    QVERIFY(tinyPolicy(7).digest() == policy.digest());
    const Policy shared = policy;
    policy.moveTo({});
    QVERIFY(shared.model().compute().kernels());
}

void TestPlain::devicesByName()
{
    const auto cpu = computeFor("cpu", "fp32");
    QVERIFY(cpu && cpu->kernels() && cpu->text() == "cpu, fp32");
    const auto half = computeFor("cpu", "bf16");
    QVERIFY(half && !half->kernels() && half->text() == "cpu, bf16");
    for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda1", "", "CPU"}) {
        const auto refused = computeFor(name, "fp32");
        QVERIFY2(!refused && refused.error().what.find("no device") != std::string::npos, name);
    }
    QVERIFY(!computeFor("cpu", "fp16"));
    const auto automatic = computeFor("auto", "fp32"), gpu = computeFor("cuda", "fp32"),
               absent = computeFor("cuda:99", "fp32");
    const auto usable = usableGpus();
    QVERIFY(automatic && automatic->device.is_cpu() == !usable.has_value());
    QVERIFY(gpu.has_value() == usable.has_value());
    QVERIFY(!absent && !absent.error().what.empty() && !absent.error().remedy.empty());
}
