// SPDX-License-Identifier: Apache-2.0
#include "base/failure.h"
#include "policy/kernels/packed_linear.h"
#include "policy/sampling/beam_search.h"
#include "policy/sampling/sampler.h"
#include "tst_policy.h"

#include <QtTest>
#include <mutex>
#include <numeric>

using namespace sparserl;
using torch::Tensor;

namespace {

std::vector<SampleRequest> requests(int count, int inputs, std::uint64_t seed = 100)
{
    std::vector<SampleRequest> list;
    for (int i = 0; i < count; ++i)
        list.push_back({i % inputs, seed + std::uint64_t(i)});
    return list;
}

SequenceBatch asBatch(const std::vector<ModelInput>& inputs, const std::vector<SampleRequest>& list,
                      const std::vector<Sample>& samples)
{
    SequenceBatch batch;
    batch.inputs = inputs;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        batch.inputOf.push_back(list[i].input);
        batch.targets.push_back(samples[i].tokens);
    }
    return batch;
}

} // namespace

void TestSampling::logProbsAreTeacherForced()
{
    const torch::NoGradGuard guard;
    for (const bool gated : {false, true}) {
        const Policy policy = tinyPolicy(2, gated);
        const auto inputs = someInputs(policy, 3, true);
        const auto list = requests(10, 3);
        for (const double temperature : {1.0, 0.6}) {
            const SamplingOptions options{.temperature = temperature, .maxTokens = 90, .batch = 4};
            const auto samples = policy.generate(inputs, list, options);
            const auto statistics = policy.tokenStatistics(asBatch(inputs, list, samples), temperature);
            for (std::size_t i = 0; i < samples.size(); ++i) {
                const Sample& s = samples[i];
                QVERIFY(!s.tokens.empty() && s.tokens.size() <= 90);
                QVERIFY(s.finished == (s.tokens.back() == Tokenizer::eosId));
                QVERIFY(s.finished || s.tokens.size() == 90);
                QCOMPARE(s.logProbs.size(), s.tokens.size());
                for (std::size_t t = 0; t < s.tokens.size(); ++t) {
                    const auto forced = statistics.logProbs[std::int64_t(i)][std::int64_t(t)].item<float>();
                    QVERIFY(std::abs(forced - s.logProbs[t]) < 1e-4f);
                    QVERIFY(s.behaviourLogProbs[t] == s.logProbs[t]);
                }
            }
        }
    }
}

void TestSampling::cachedLogitsAsFullForward_data()
{
    QTest::addColumn<bool>("gated");
    QTest::newRow("relu") << false;
    QTest::newRow("gated") << true;
}

void TestSampling::cachedLogitsAsFullForward()
{
    QFETCH(bool, gated);
    const torch::NoGradGuard guard;
    const Policy policy = tinyPolicy(5, gated);
    SequenceBatch batch = someBatch(policy, std::vector<int>(9, 70), 3);
    const Tensor expected = policy.logits(batch);
    const auto stepper = policy.model().stepper(policy.model().read(batch.inputs, {}), 9, 70);
    std::vector<int> places;
    std::vector<std::int32_t> tokens(9, 0);
    for (int i = 0; i < 9; ++i) {
        places.push_back(8 - i); // places need not be in order
        stepper->start(8 - i, batch.inputOf[i], {});
    }
    const std::int64_t vocabulary = expected.size(2);
    double worst = 0;
    for (int t = 0; t < 70; ++t) {
        std::mutex mutex;
        stepper->step(places, tokens, [&](std::size_t i, const float* logits) {
            const Tensor got = torch::from_blob(const_cast<float*>(logits), {vocabulary});
            const double difference = maxDifference(got, expected[std::int64_t(i)][t]);
            const std::lock_guard lock(mutex);
            worst = std::max(worst, difference);
        });
        for (int i = 0; i < 9; ++i)
            tokens[i] = batch.targets[i][t];
    }
    QVERIFY2(worst < 1e-5, qPrintable(QString::number(worst)));
}

void TestSampling::packedProducts()
{
    // Against sums in doubles; shapes that fill no panel and no block of rows, and those of real layers.
    Rng rng(31);
    const auto random = [&](std::int64_t count) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& v : values)
            v = static_cast<float>(rng.normal());
        return values;
    };
    for (const auto& [out, in] :
         {std::pair<int, int>{1, 1}, {7, 13}, {16, 24}, {37, 5}, {64, 40}, {100, 129}}) {
        const auto weight = random(std::int64_t(out) * in);
        const PackedLinear linear(weight.data(), out, in);
        for (const int rows : {1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 17, 33}) {
            const auto x = random(std::int64_t(rows) * in), before = random(std::int64_t(rows) * out + 1);
            for (const bool accumulate : {false, true}) {
                auto y = before;
                linear.apply(x.data(), rows, y.data(), accumulate);
                QCOMPARE(y.back(), before.back()); // nothing is written behind the end
                for (int r = 0; r < rows; ++r) {
                    for (int o = 0; o < out; ++o) {
                        const std::size_t at = std::size_t(r) * std::size_t(out) + std::size_t(o);
                        double sum = accumulate ? double(before[at]) : 0, size = std::abs(sum);
                        for (int i = 0; i < in; ++i) {
                            const double term =
                                double(x[std::size_t(r * in + i)]) * double(weight[std::size_t(o * in + i)]);
                            sum += term;
                            size += std::abs(term);
                        }
                        QVERIFY(std::abs(double(y[at]) - sum) <= 1e-6 * size + 1e-30);
                    }
                }
                std::vector<float> alone(before.end() - 1 - out, before.end() - 1);
                linear.apply(x.data() + (rows - 1) * in, 1, alone.data(), accumulate);
                QVERIFY(std::equal(alone.begin(), alone.end(), y.end() - 1 - out)); // to the bit
            }
        }
    }
}

void TestSampling::batchDoesNotMatter()
{
    const Policy policy = tinyPolicy(3);
    const auto inputs = someInputs(policy, 2);
    const auto list = requests(12, 2);
    const SamplingOptions wide{.maxTokens = 40, .batch = 64}, narrow{.maxTokens = 40, .batch = 3};
    const auto a = policy.generate(inputs, list, wide), b = policy.generate(inputs, list, narrow);
    auto reversed = list;
    std::reverse(reversed.begin(), reversed.end());
    const auto c = policy.generate(inputs, reversed, wide);
    for (std::size_t i = 0; i < list.size(); ++i) {
        QVERIFY(a[i].tokens == b[i].tokens);
        QVERIFY(a[i].tokens == c[list.size() - 1 - i].tokens);
        for (std::size_t t = 0; t < a[i].tokens.size(); ++t)
            QCOMPARE(a[i].logProbs[t], b[i].logProbs[t]); // to the bit: no row is computed with another
    }
    QVERIFY(a[0].tokens != a[2].tokens); // other seed, same matrix
}

void TestSampling::drawFrequencies()
{
    // The draw against the exact distribution: a chi-squared statistic with 5 degrees of freedom.
    const float logits[6] = {0.0f, 1.0f, -1.0f, 2.0f, 0.5f, -3.0f};
    const double temperature = 0.8;
    double p[6], sum = 0;
    for (int i = 0; i < 6; ++i)
        sum += p[i] = std::exp(logits[i] / temperature);
    for (double& v : p)
        v /= sum;
    TokenSampler sampler;
    Rng rng(21);
    const int n = 40000;
    double count[6] = {};
    for (int i = 0; i < n; ++i) {
        const Draw d = sampler.draw(logits, 6, {.temperature = temperature}, rng);
        ++count[d.token];
        QVERIFY(std::abs(d.logProb - std::log(p[d.token])) < 1e-6);
    }
    double chi = 0;
    for (int i = 0; i < 6; ++i)
        chi += (count[i] - n * p[i]) * (count[i] - n * p[i]) / (n * p[i]);
    QVERIFY2(chi < 20.5, qPrintable(QString::number(chi))); // 0.1 % quantile
    // Tokens of no probability are never drawn.
    const float impossible[3] = {-1e30f, 0.0f, -std::numeric_limits<float>::infinity()};
    for (int i = 0; i < 1000; ++i)
        QCOMPARE(sampler.draw(impossible, 3, {}, rng).token, 1);
}

void TestSampling::truncationAndMixture()
{
    const float logits[5] = {std::log(0.4f), std::log(0.3f), std::log(0.15f), std::log(0.1f),
                             std::log(0.05f)};
    TokenSampler sampler;
    Rng rng(4);
    std::set<int> top2, nucleus;
    for (int i = 0; i < 4000; ++i) {
        const Draw a = sampler.draw(logits, 5, {.topK = 2}, rng);
        top2.insert(a.token);
        QVERIFY(std::abs(std::exp(a.behaviourLogProb) - (a.token == 0 ? 0.4 / 0.7 : 0.3 / 0.7)) < 1e-5);
        QVERIFY(std::abs(std::exp(a.logProb) - (a.token == 0 ? 0.4 : 0.3)) < 1e-5);
        const Draw b = sampler.draw(logits, 5, {.topP = 0.8}, rng);
        nucleus.insert(b.token);
        QVERIFY(std::abs(std::exp(b.behaviourLogProb) - std::exp(b.logProb) / 0.85) < 1e-5);
    }
    QVERIFY(top2 == (std::set<int>{0, 1}));
    QVERIFY(nucleus == (std::set<int>{0, 1, 2}));
    // 70 % of top-2 at T = 1, 30 % of everything at T = 0.7: probabilities by hand, frequencies of each
    // token.
    const SamplingOptions mixed{.topK = 2, .broadFraction = 0.3, .broadTemperature = 0.7};
    double broad[5], sum = 0, expected[5], count[5] = {};
    for (int i = 0; i < 5; ++i)
        sum += broad[i] = std::exp(logits[i] / 0.7);
    for (int i = 0; i < 5; ++i)
        expected[i] = 0.7 * (i == 0 ? 0.4 / 0.7 : i == 1 ? 0.3 / 0.7 : 0.0) + 0.3 * broad[i] / sum;
    for (int i = 0; i < 20000; ++i) {
        const Draw d = sampler.draw(logits, 5, mixed, rng);
        ++count[d.token];
        QVERIFY(std::abs(std::exp(d.behaviourLogProb) - expected[d.token]) < 1e-5);
    }
    double chi = 0;
    for (int i = 0; i < 5; ++i)
        chi += (count[i] - 20000 * expected[i]) * (count[i] - 20000 * expected[i]) / (20000 * expected[i]);
    QVERIFY2(chi < 18.5, qPrintable(QString::number(chi)));
}

void TestSampling::greedyIsArgmax()
{
    const torch::NoGradGuard guard;
    const Policy policy = tinyPolicy(6);
    const auto inputs = someInputs(policy, 1);
    const auto list = requests(2, 1);
    const auto samples = policy.generate(inputs, list, {.greedy = true, .maxTokens = 30});
    QVERIFY(samples[0].tokens == samples[1].tokens);
    const Tensor best = policy.logits(asBatch(inputs, list, samples)).argmax(-1);
    for (std::size_t t = 0; t < samples[0].tokens.size(); ++t) {
        QCOMPARE(std::int64_t(samples[0].tokens[t]), best[0][std::int64_t(t)].item<std::int64_t>());
        QCOMPARE(samples[0].behaviourLogProbs[t], 0.0f);
    }
}

/// Against every sequence there is: few tokens, short sequences.
void TestSampling::beamSearchAgainstExhaustion()
{
    const torch::NoGradGuard guard;
    const Policy policy = tinyPolicy(8);
    const auto inputs = someInputs(policy, 1);
    const int vocabulary = policy.vocabSize(), longest = 2;
    // All first tokens, and behind each of them all second ones: log-probabilities by teacher forcing.
    SequenceBatch one;
    one.inputs = inputs;
    one.inputOf = {0};
    one.targets = {{Tokenizer::eosId}};
    const Tensor first = torch::log_softmax(policy.logits(one)[0][0].to(torch::kFloat64), -1);
    SequenceBatch two;
    two.inputs = inputs;
    for (std::int32_t token = 0; token < vocabulary; ++token) {
        two.inputOf.push_back(0);
        two.targets.push_back({token, Tokenizer::eosId});
    }
    const Tensor second =
        torch::log_softmax(policy.logits(two).select(1, 1).to(torch::kFloat64), -1).contiguous();
    struct Found
    {
        std::vector<std::int32_t> tokens;
        double score;
    };
    for (const double penalty : {0.0, 1.0}) {
        std::vector<Found> ended{{{Tokenizer::eosId}, first[Tokenizer::eosId].item<double>()}};
        for (std::int32_t a = 0; a < vocabulary; ++a) {
            if (a != Tokenizer::eosId)
                ended.push_back({{a, Tokenizer::eosId},
                                 (first[a].item<double>() + second[a][Tokenizer::eosId].item<double>()) /
                                     std::pow(2.0, penalty)});
        }
        std::sort(ended.begin(), ended.end(),
                  [](const Found& x, const Found& y) { return x.score > y.score; });
        // Beams for every sequence: nothing is lost, so the best that ended must be those.
        const auto best = beamSearch(policy.model(), inputs[0], {vocabulary, longest, penalty});
        QCOMPARE(best.size(), std::size_t(vocabulary));
        for (std::size_t i = 0; i < 5; ++i) {
            QVERIFY(best[i].finished);
            double sum = 0;
            for (const float logProb : best[i].logProbs)
                sum += double(logProb);
            QVERIFY(std::abs(sum / std::pow(double(best[i].tokens.size()), penalty) - ended[i].score) < 1e-4);
        }
    }
}

/// The same again where some sequences are not to be: refused by their first token, or by what came before.
void TestSampling::beamSearchPassesOverWhatIsRefused()
{
    const torch::NoGradGuard guard;
    const Policy policy = tinyPolicy(8);
    const auto inputs = someInputs(policy, 1);
    const int vocabulary = policy.vocabSize(), longest = 3;
    const auto allowed = [](const std::vector<std::int32_t>& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (tokens[i] != Tokenizer::eosId &&
                (tokens[i] % 3 == 0 || (i > 0 && tokens[i] == tokens[i - 1])))
                return false;
        return true;
    };
    BeamOptions options{40 * vocabulary, longest, 1};
    const auto all = beamSearch(policy.model(), inputs[0], options);
    options.accepts = [allowed, read = std::vector<std::int32_t>()](std::int32_t token) mutable {
        read.push_back(token);
        return allowed(read);
    };
    const auto some = beamSearch(policy.model(), inputs[0], options);
    std::vector<std::vector<std::int32_t>> expected, found;
    for (const Sample& sample : all)
        if (sample.finished && allowed(sample.tokens))
            expected.push_back(sample.tokens);
    for (const Sample& sample : some)
        if (sample.finished)
            found.push_back(sample.tokens);
    QVERIFY(expected.size() > 20 && expected.size() < all.size());
    QVERIFY(found.size() >= 20);
    expected.resize(20);
    found.resize(20);
    QVERIFY(found == expected);
}

void TestSampling::beamSearchOfOneIsGreedy()
{
    for (const bool gated : {false, true}) {
        const Policy policy = tinyPolicy(9, gated);
        const auto inputs = someInputs(policy, 2);
        const auto greedy = policy.generate({inputs[1]}, requests(1, 1), {.greedy = true, .maxTokens = 40});
        const auto beam = beamSearch(policy.model(), inputs[1], {1, 40, 1});
        QCOMPARE(beam.size(), std::size_t(1));
        QVERIFY(beam[0].tokens == greedy[0].tokens);
        for (std::size_t t = 0; t < beam[0].tokens.size(); ++t)
            QVERIFY(std::abs(beam[0].logProbs[t] - greedy[0].logProbs[t]) < 1e-4f);
    }
}

/// The log-probabilities of every beam are those of its own text: places were regrouped with their caches.
void TestSampling::beamSearchIsTeacherForced()
{
    const torch::NoGradGuard guard;
    const Policy policy = tinyPolicy(10);
    const auto inputs = someInputs(policy, 1);
    int calls = 0;
    const auto best = beamSearch(policy.model(), inputs[0], {5, 30, 1}, [&] { ++calls; });
    QVERIFY(calls > 0 && calls <= 30);
    SequenceBatch batch;
    batch.inputs = inputs;
    double last = 1e9;
    std::set<std::vector<std::int32_t>> different;
    for (const Sample& sample : best) {
        batch.inputOf.push_back(0);
        batch.targets.push_back(sample.tokens);
        QVERIFY(different.insert(sample.tokens).second);
        const double score = std::accumulate(sample.logProbs.begin(), sample.logProbs.end(), 0.0) /
                             double(sample.tokens.size());
        if (sample.finished == best.front().finished) {
            QVERIFY(score <= last + 1e-9);
            last = score;
        }
    }
    const auto statistics = policy.tokenStatistics(batch, 1.0, false);
    for (std::size_t i = 0; i < best.size(); ++i)
        for (std::size_t t = 0; t < best[i].tokens.size(); ++t)
            QVERIFY(std::abs(statistics.logProbs[std::int64_t(i)][std::int64_t(t)].item<float>() -
                             best[i].logProbs[t]) < 1e-4f);
    const CancelToken cancel;
    cancel.cancel();
    const auto none = beamSearch(policy.model(), inputs[0], {5, 30, 1}, {}, cancel);
    QCOMPARE(none.size(), std::size_t(5));
    QVERIFY(none[0].stopped && none[0].stopReason == "cancelled");
}

void TestSampling::hookAndCancel()
{
    const Policy policy = tinyPolicy(7);
    const auto inputs = someInputs(policy, 2);
    const auto list = requests(8, 2);
    const SamplingOptions options{.maxTokens = 50, .batch = 3};
    const auto free = policy.generate(inputs, list, options);
    std::vector<std::vector<std::int32_t>> seen(8);
    const auto samples = policy.generate(inputs, list, options, [&](std::size_t request, std::int32_t token) {
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
            QVERIFY(!samples[i].finished);
            // Stopping some does not change what the others, or their own first tokens, are.
            QVERIFY(std::equal(tokens.begin(), tokens.end(), free[i].tokens.begin()));
        } else {
            QVERIFY(samples[i].tokens == free[i].tokens);
        }
    }
    const CancelToken cancel;
    int calls = 0;
    const auto cut = policy.generate(
        inputs, list, options,
        [&](std::size_t, std::int32_t) {
            if (++calls == 7)
                cancel.cancel();
            return std::nullopt;
        },
        cancel);
    QCOMPARE(cut.size(), std::size_t(8));
    QVERIFY(cut.back().stopped && cut.back().stopReason == "cancelled" && cut.back().tokens.empty());
    QVERIFY(policy.generate(inputs, {}, options).empty());
}

/// A long prompt is read layer by layer, and may be given up between them.
void TestSampling::readingIsInterrupted()
{
    const Policy policy = tinyPolicy(7);
    const auto inputs = someInputs(policy, 2);
    const CancelToken cancel;
    int layers = 0;
    const auto list = requests(4, 2);
    const auto whole = policy.generate(inputs, list, {.maxTokens = 5}, {}, {}, [&] { ++layers; });
    QVERIFY(layers > 0 && !whole.front().tokens.empty());
    int drawn = 0;
    const auto none = policy.generate(
        inputs, list, {.maxTokens = 5},
        [&](std::size_t, std::int32_t) {
            ++drawn;
            return std::nullopt;
        },
        cancel, [&] { cancel.cancel(); });
    QCOMPARE(drawn, 0);
    QCOMPARE(none.size(), std::size_t(4));
    for (const Sample& sample : none)
        QVERIFY(sample.tokens.empty() && sample.stopped && sample.stopReason == "cancelled");
    const auto beams = beamSearch(policy.model(), inputs[0], {.width = 3, .maxTokens = 5}, {}, cancel);
    QCOMPARE(beams.size(), std::size_t(3));
    QVERIFY(beams[2].stopped && beams[2].tokens.empty());
}

void TestSampling::badOptionsAreSentences()
{
    for (const SamplingOptions& bad :
         {SamplingOptions{.temperature = 0}, SamplingOptions{.temperature = std::nan("")},
          SamplingOptions{.topK = -1}, SamplingOptions{.topP = 0}, SamplingOptions{.topP = 1.5},
          SamplingOptions{.maxTokens = 0}, SamplingOptions{.broadFraction = 2},
          SamplingOptions{.batch = -1}}) {
        const auto status = bad.check();
        QVERIFY(!status && !status.error().what.empty() && !status.error().remedy.empty());
    }
    QVERIFY(SamplingOptions{}.check());
}

void TestSampling::weightsThatOverflowAreASentence_data()
{
    QTest::addColumn<bool>("plain");
    QTest::newRow("kernels") << false;
    QTest::newRow("as a GPU") << true;
}

/// Each weight is a number, and the sum of their products is none: nothing is drawn, and nothing is sorted.
void TestSampling::weightsThatOverflowAreASentence()
{
    QFETCH(bool, plain);
    Policy policy = tinyPolicy(8);
    {
        const torch::NoGradGuard guard;
        for (auto& [name, tensor] : policy.parameters()) {
            if (name == "decoder.final_layer_norm.weight")
                tensor.fill_(3e38);
        }
    }
    policy.moveTo({.plainOperations = plain});
    const auto inputs = someInputs(policy, 1);
    const auto isRefused = [](const auto& work) {
        try {
            work();
        } catch (const Failure& failure) {
            return failure.error().sentence().find("no probabilities") != std::string::npos;
        }
        return false;
    };
    for (const SamplingOptions& options :
         {SamplingOptions{}, SamplingOptions{.topK = 5}, SamplingOptions{.topP = 0.5},
          SamplingOptions{.greedy = true}, SamplingOptions{.broadFraction = 0.3}})
        QVERIFY(isRefused([&] { policy.generate(inputs, requests(4, 1), options); }));
    QVERIFY(isRefused([&] { beamSearch(policy.model(), inputs[0], {4, 20, 1}); }));
}
