// SPDX-License-Identifier: Apache-2.0
// Tokens that a policy is given: it reads them and learns nothing from them.
#include "tests/policy/tiny_causal.h"
#include "tests/policy/tst_policy.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

using namespace sparserl;
using torch::Tensor;

namespace {

constexpr auto given = TokenClass::Observation;

/// An uneven batch in which some tokens are given: a prefix, some in the middle, the end, a whole sequence.
SequenceBatch mixedBatch(const Policy& policy)
{
    SequenceBatch batch = unevenBatch(policy);
    for (const auto& target : batch.targets)
        batch.classes.emplace_back(target.size(), TokenClass::Policy);
    const auto give = [&](std::size_t b, std::size_t from, std::size_t to) {
        std::fill(batch.classes[b].begin() + std::ptrdiff_t(from),
                  batch.classes[b].begin() + std::ptrdiff_t(to), given);
    };
    give(0, 0, 3);
    give(1, 0, 1);
    give(2, 12, 18);
    give(3, 5, 9);
    give(3, 29, 33);
    give(4, 4, 5);
    batch.classes[5].clear(); // all are the policy's
    return batch;
}

struct Outcome
{
    TokenStatistics statistics;
    Tensor values;
    std::map<std::string, Tensor> gradients;
};

/// Statistics, a critic's values, and gradients of a sum in which every token has its own weight.
Outcome outcomeOf(const Policy& policy, const SequenceBatch& batch)
{
    const auto weighted = [](const Tensor& x) {
        return (x * torch::arange(1, x.numel() + 1, torch::kFloat32).view(x.sizes()).cos()).sum();
    };
    for (const auto& [name, tensor] : policy.parameters())
        tensor.mutable_grad() = Tensor();
    Outcome outcome;
    outcome.statistics = policy.tokenStatistics(batch, 0.8);
    (weighted(outcome.statistics.logProbs) + weighted(outcome.statistics.entropy)).backward();
    for (const auto& [name, tensor] : policy.parameters())
        outcome.gradients[name] = tensor.grad().clone();
    Critic critic = Critic::fromPolicy(policy, 4);
    outcome.values = critic.values(batch);
    weighted(outcome.values).backward();
    for (const auto& [name, tensor] : critic.parameters())
        outcome.gradients["critic " + name] = tensor.grad().defined() ? tensor.grad() : Tensor();
    return outcome;
}

/// A T5 or a causal model of which all weights learn, or only adapters.
Policy policyOf(const QString& kind)
{
    if (kind == u"t5")
        return tinyPolicy(3);
    Policy policy = test::tinyCausalPolicy("qwen2", kind == u"lora", 3);
    policy.learn();
    return policy;
}

void modes()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<bool>("plain");
    QTest::addColumn<bool>("recompute");
    const auto add = [](const char* name, const char* kind, bool plain, bool recompute) {
        QTest::newRow(name) << QString::fromLatin1(kind) << plain << recompute;
    };
    add("t5, kernels", "t5", false, false);
    add("t5, kernels, recomputed", "t5", false, true);
    add("t5, plain", "t5", true, false);
    add("causal", "causal", false, false);
    add("causal, recomputed", "causal", false, true);
    add("lora", "lora", false, false);
    add("lora, recomputed", "lora", false, true);
}

} // namespace

void TestClasses::givenTokensAreOnlyRead_data()
{
    modes();
}

void TestClasses::givenTokensAreOnlyRead()
{
    QFETCH(QString, kind);
    QFETCH(bool, plain);
    QFETCH(bool, recompute);
    Policy policy = policyOf(kind);
    policy.moveTo({.plainOperations = plain, .recompute = recompute});
    const SequenceBatch batch = mixedBatch(policy);
    SequenceBatch all = batch;
    all.classes.clear();
    const Outcome mixed = outcomeOf(policy, batch), whole = outcomeOf(policy, all);
    int read = 0, learned = 0;
    const torch::NoGradGuard guard;
    for (std::int64_t b = 0; b < mixed.statistics.mask.size(0); ++b) {
        for (std::int64_t t = 0; t < mixed.statistics.mask.size(1); ++t) {
            const bool inside = t < std::int64_t(batch.targets[std::size_t(b)].size());
            const bool own = inside && batch.classOf(std::size_t(b), std::size_t(t)) != given;
            (own ? learned : read) += inside ? 1 : 0;
            QCOMPARE(mixed.statistics.mask[b][t].item<float>(), own ? 1.0f : 0.0f);
            for (const auto& [got, expected] :
                 {std::pair(mixed.statistics.logProbs, whole.statistics.logProbs),
                  std::pair(mixed.statistics.entropy, whole.statistics.entropy),
                  std::pair(mixed.values, whole.values)}) {
                const float value = got[b][t].item<float>();
                if (own) // what was given was read as before
                    QVERIFY(std::abs(value - expected[b][t].item<float>()) < 2e-6f);
                else
                    QVERIFY(value == 0.0f);
            }
        }
    }
    QCOMPARE(read, 19);
    QCOMPARE(learned, 63);
    // The gradient is the one of the whole batch whose weights are 0 at given tokens.
    policy.moveTo({.plainOperations = plain});
    const at::AutoGradMode withGradients(true);
    for (const auto& [name, tensor] : policy.parameters())
        tensor.mutable_grad() = Tensor();
    const auto statistics = policy.tokenStatistics(all, 0.8);
    const Tensor weights =
        torch::arange(1, statistics.mask.numel() + 1, torch::kFloat32).view(statistics.mask.sizes()).cos() *
        learnedMask(batch);
    ((statistics.logProbs + statistics.entropy) * weights).sum().backward();
    for (const auto& [name, tensor] : policy.parameters()) {
        const double scale = std::max(1e-3, tensor.grad().abs().max().item<double>());
        QVERIFY2(maxDifference(mixed.gradients.at(name), tensor.grad()) < 1e-4 * scale, name.c_str());
    }
}

void TestClasses::junkBehindTheLastOwnToken_data()
{
    modes();
}

/// Other tokens where nothing of the policy's follows: no number is another, to the bit.
void TestClasses::junkBehindTheLastOwnToken()
{
    QFETCH(QString, kind);
    QFETCH(bool, plain);
    QFETCH(bool, recompute);
    Policy policy = policyOf(kind);
    policy.moveTo({.plainOperations = plain, .recompute = recompute});
    const SequenceBatch batch = mixedBatch(policy);
    SequenceBatch junk = batch;
    int changed = 0;
    for (std::size_t b = 0; b < junk.targets.size(); ++b) {
        for (std::size_t t = junk.targets[b].size(); t-- > 0 && junk.classOf(b, t) == given; ++changed)
            junk.targets[b][t] = (junk.targets[b][t] + 101) % policy.vocabSize();
    }
    QCOMPARE(changed, 12);
    const Outcome one = outcomeOf(policy, batch), other = outcomeOf(policy, junk);
    QVERIFY(torch::equal(one.statistics.logProbs, other.statistics.logProbs));
    QVERIFY(torch::equal(one.statistics.entropy, other.statistics.entropy));
    QVERIFY(torch::equal(one.values, other.values));
    for (const auto& [name, gradient] : one.gradients)
        QVERIFY2(!gradient.defined() || torch::equal(gradient, other.gradients.at(name)), name.c_str());
    // Junk before the policy's own tokens is read.
    junk.targets[0][1] = (junk.targets[0][1] + 101) % policy.vocabSize();
    QVERIFY(
        !torch::equal(policy.tokenStatistics(junk).logProbs[0], policy.tokenStatistics(batch).logProbs[0]));
}

void TestClasses::samplesGoOnFromAPrefix_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<bool>("plain");
    QTest::addColumn<bool>("greedy");
    const auto add = [](const char* name, const char* kind, bool plain, bool greedy) {
        QTest::newRow(name) << QString::fromLatin1(kind) << plain << greedy;
    };
    add("t5, kernels", "t5", false, false);
    add("t5, kernels, greedy", "t5", false, true);
    add("t5, plain", "t5", true, false);
    add("t5, plain, greedy", "t5", true, true);
    for (const char* kind : {"causal", "lora"}) {
        add(kind, kind, false, false);
        add((std::string(kind) + ", greedy").c_str(), kind, false, true);
    }
}

void TestClasses::samplesGoOnFromAPrefix()
{
    QFETCH(QString, kind);
    QFETCH(bool, plain);
    QFETCH(bool, greedy);
    Policy policy = policyOf(kind);
    const torch::NoGradGuard guard;
    policy.moveTo({.plainOperations = plain});
    const auto inputs = someInputs(policy, 3, true);
    Rng rng(5);
    std::vector<SampleRequest> requests;
    for (int i = 0; i < 12; ++i) {
        SampleRequest request{i % 3, std::uint64_t(50 + i)};
        for (int t = 0; t < (7 * i) % 20; ++t)
            request.prefix.push_back(std::int32_t(4 + rng.below(200)));
        requests.push_back(std::move(request));
    }
    const SamplingOptions options{.greedy = greedy, .maxTokens = 60, .batch = 5};
    const auto samples = policy.generate(inputs, requests, options);
    SequenceBatch batch;
    batch.inputs = inputs;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        batch.inputOf.push_back(requests[i].input);
        auto tokens = requests[i].prefix;
        batch.classes.emplace_back(tokens.size(), given);
        tokens.insert(tokens.end(), samples[i].tokens.begin(), samples[i].tokens.end());
        batch.classes.back().resize(tokens.size(), TokenClass::Policy);
        batch.targets.push_back(std::move(tokens));
    }
    const auto statistics = policy.tokenStatistics(batch);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        QVERIFY(!samples[i].tokens.empty() && samples[i].tokens.size() <= 60);
        QVERIFY(samples[i].finished || samples[i].tokens.size() == 60);
        for (std::size_t t = 0; t < samples[i].tokens.size(); ++t) {
            const auto forced =
                statistics.logProbs[std::int64_t(i)][std::int64_t(requests[i].prefix.size() + t)];
            QVERIFY(std::abs(forced.item<float>() - samples[i].logProbs[t]) < 1e-4f);
        }
    }
    // Neither the batch nor the prefixes of others matter, and a greedy sample goes on from its own
    // beginning.
    for (const std::size_t i : {2u, 7u, 11u}) {
        const auto alone = policy.generate(inputs, {requests[i]}, options);
        QVERIFY(alone[0].tokens == samples[i].tokens);
        if (!greedy || samples[i].tokens.size() < 10)
            continue;
        SampleRequest later = requests[i];
        later.prefix.insert(later.prefix.end(), samples[i].tokens.begin(), samples[i].tokens.begin() + 6);
        const auto rest = policy.generate(inputs, {later}, {.greedy = true, .maxTokens = 54});
        QVERIFY(std::equal(rest[0].tokens.begin(), rest[0].tokens.end(), samples[i].tokens.begin() + 6,
                           samples[i].tokens.end()));
    }
}
