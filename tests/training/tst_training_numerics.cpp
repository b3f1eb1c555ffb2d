// SPDX-License-Identifier: Apache-2.0
// The formulas of PPO and its relatives against hand-made vectors, finite differences and exact sums.
#include "base/rng.h"
#include "training/learning/advantages.h"
#include "training/learning/contrast_loss.h"
#include "training/learning/kl.h"
#include "training/learning/losses.h"
#include "training/learning/optimizer.h"
#include "training/learning/rl_settings.h"
#include "training/parameters/stage_parameters.h"
#include "training/work/statistics.h"

#include <QtTest>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <torch/optim.h>
#include <tuple>

using namespace sparserl;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

torch::Tensor row(std::vector<double> values)
{
    return torch::tensor(values, torch::kFloat64).unsqueeze(0);
}

void compareRow(const torch::Tensor& got, const std::vector<double>& expected, double tolerance)
{
    QCOMPARE(got.numel(), static_cast<std::int64_t>(expected.size()));
    const auto flat = got.reshape({-1}).to(torch::kFloat64);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double value = flat[static_cast<std::int64_t>(i)].item<double>();
        if (std::isnan(expected[i]))
            continue;
        QVERIFY2(
            std::abs(value - expected[i]) <= tolerance,
            qPrintable(
                QString::fromLatin1("element %1: got %2, expected %3").arg(i).arg(value).arg(expected[i])));
    }
}

/// Mask of [B, columns] whose row i has `lengths[i]` ones.
Mask maskFromLengths(const std::vector<std::int64_t>& lengths, std::int64_t columns, torch::ScalarType type)
{
    const auto length = torch::tensor(lengths, torch::kInt64).unsqueeze(1);
    return Mask((torch::arange(columns, torch::kInt64).unsqueeze(0) < length).to(type));
}

Aggregation single()
{
    return {};
}

/// A small random batch with unequal lengths, in double.
struct Batch
{
    Mask mask;
    OldLogProb old;
    RefLogProb ref;
    Advantage advantages;
    OldValue oldValues;
    Return returns;
    torch::Tensor logits; ///< [B, T, V]
    torch::Tensor values; ///< [B, T]
    torch::Tensor tokens; ///< [B, T]
};

Batch randomBatch(std::int64_t b, std::int64_t t, std::int64_t v)
{
    torch::manual_seed(7);
    Batch batch;
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < b; ++i)
        lengths.push_back(1 + (i * 3 + 1) % t);
    batch.mask = maskFromLengths(lengths, t, torch::kFloat64);
    const auto options = torch::TensorOptions().dtype(torch::kFloat64);
    batch.logits = torch::randn({b, t, v}, options);
    batch.tokens = torch::randint(v, {b, t}, torch::kInt64);
    const auto logp = torch::log_softmax(batch.logits, -1).gather(2, batch.tokens.unsqueeze(2)).squeeze(2);
    batch.old = OldLogProb(logp + 0.3 * torch::randn({b, t}, options));
    batch.ref = RefLogProb(logp + 0.3 * torch::randn({b, t}, options));
    batch.advantages = Advantage(torch::randn({b, t}, options));
    batch.values = torch::randn({b, t}, options);
    batch.oldValues = OldValue(batch.values + 0.3 * torch::randn({b, t}, options));
    batch.returns = Return(torch::randn({b, t}, options));
    return batch;
}

/// The whole PPO objective of one batch: policy, value, entropy and k3.
torch::Tensor fullLoss(const Batch& batch, const torch::Tensor& logits, const torch::Tensor& values,
                       const Aggregation& aggregation, const torch::Tensor& correction = {})
{
    const auto all = torch::log_softmax(logits, -1);
    const LogProb logp(all.gather(2, batch.tokens.unsqueeze(2)).squeeze(2));
    const auto entropy = -(all.exp() * all).sum(-1);
    const auto policy =
        policyLoss(logp, batch.old, batch.advantages, batch.mask, {}, aggregation, correction);
    const auto value = valueLoss(Value(values), batch.oldValues, batch.returns, batch.mask, 0.2, aggregation);
    const auto kl = klPerToken(logp, batch.ref, batch.mask, KlEstimator::K3);
    return policy.loss + 0.5 * value.loss - 0.01 * aggregate(entropy, batch.mask, aggregation) +
           0.05 * aggregate(kl, batch.mask, aggregation);
}

} // namespace

class TestTrainingNumerics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Both ways of stepping against LibTorch's own AdamW, weights with and without decay, some without
    /// gradient.
    void adamAsAdamW_data()
    {
        QTest::addColumn<bool>("together");
        QTest::newRow("one by one") << false;
        QTest::newRow("together, as on a GPU") << true;
    }
    void adamAsAdamW()
    {
        QFETCH(bool, together);
        torch::manual_seed(8);
        NamedTensors ours;
        std::vector<torch::Tensor> matrices, scales;
        for (const auto& shape : std::vector<std::vector<std::int64_t>>{{5, 7}, {7}, {3, 4}, {1}, {2, 2}}) {
            const auto start = torch::randn(shape);
            ours.emplace_back("p" + std::to_string(ours.size()), start.clone().requires_grad_());
            (shape.size() > 1 ? matrices : scales).push_back(start.clone().requires_grad_());
        }
        const AdamOptions options{.beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6, .weightDecay = 0.1};
        Adam adam(ours, options, together);
        const auto theirs = [&](double decay) {
            return torch::optim::AdamWOptions(0.02).betas({0.8, 0.95}).eps(1e-6).weight_decay(decay);
        };
        torch::optim::AdamW withDecay(matrices, theirs(0.1)), without(scales, theirs(0));
        for (int step = 0; step < 5; ++step) {
            adam.zeroGradients();
            double squares = 0;
            std::size_t matrix = 0, scale = 0;
            for (auto& [name, tensor] : ours) {
                auto& other = tensor.dim() > 1 ? matrices[matrix++] : scales[scale++];
                if (name == "p4") // never used: no gradient, no change
                    continue;
                const auto gradient = torch::randn(tensor.sizes());
                tensor.mutable_grad() = gradient.clone();
                other.mutable_grad() = gradient.clone();
                squares += gradient.square().sum().item<double>();
            }
            const double norm = adam.clipGradients(1.0);
            QVERIFY(std::abs(norm - std::sqrt(squares)) < 1e-4);
            for (auto* list : {&matrices, &scales}) {
                for (auto& tensor : *list) {
                    if (tensor.grad().defined())
                        tensor.mutable_grad().mul_(1.0 / (norm + 1e-6));
                }
            }
            adam.step(0.02);
            withDecay.step();
            without.step();
        }
        std::size_t matrix = 0, scale = 0;
        for (const auto& [name, tensor] : ours) {
            const auto& other = tensor.dim() > 1 ? matrices[matrix++] : scales[scale++];
            QVERIFY2((tensor - other).abs().max().item<double>() < 1e-6, name.c_str());
        }
        // What one way has saved, the other goes on with.
        SafeTensors saved;
        adam.save(saved, "a");
        Adam restored(ours, options, !together);
        QVERIFY(restored.load(saved, "a"));
        QCOMPARE(restored.steps(), std::int64_t(5));
    }

    void gaeVectors_data()
    {
        QTest::addColumn<QList<double>>("r");
        QTest::addColumn<QList<double>>("v");
        QTest::addColumn<QList<double>>("m");
        QTest::addColumn<QList<double>>("a");
        QTest::addColumn<QList<double>>("returns");
        using L = QList<double>;
        QTest::newRow("plain") << L{0, 0, 0, 1} << L{.1, .2, .3, .4} << L{1, 1, 1, 1}
                               << L{.799675, .7365, .67, .6} << L{.899675, .9365, .97, 1.0};
        QTest::newRow("hole") << L{0, 0, 0, 1} << L{.1, .2, 99, .4} << L{1, 1, 0, 1} << L{.8315, .77, 0, .6}
                              << L{.9315, .97, kNaN, 1.0};
        QTest::newRow("trailing junk")
            << L{0, 1, 0} << L{0, 0, 100} << L{1, 1, 0} << L{.95, 1.0, 0} << L{.95, 1.0, kNaN};
        QTest::newRow("NaN in a pad")
            << L{0, 1, kNaN} << L{0, 0, kNaN} << L{1, 1, 0} << L{.95, 1.0, 0} << L{.95, 1.0, 0};
    }
    void gaeVectors()
    {
        QFETCH(QList<double>, r);
        QFETCH(QList<double>, v);
        QFETCH(QList<double>, m);
        QFETCH(QList<double>, a);
        QFETCH(QList<double>, returns);
        const auto vec = [](const QList<double>& l) { return std::vector<double>(l.begin(), l.end()); };
        const auto result =
            gae(TokenReward(row(vec(r))), OldValue(row(vec(v))), Mask(row(vec(m))), 1.0, 0.95);
        compareRow(result.advantages.tensor, vec(a), 1e-9);
        compareRow(result.returns.tensor, vec(returns), 1e-9);
    }

    void policyLossVectors_data()
    {
        QTest::addColumn<double>("logp");
        QTest::addColumn<double>("old");
        QTest::addColumn<double>("advantage");
        QTest::addColumn<double>("dual");
        QTest::addColumn<double>("loss");
        QTest::newRow("clipped high") << 0.0 << -.5 << 1.0 << 3.0 << -1.28;
        QTest::newRow("free low") << -.5 << 0.0 << 1.0 << 3.0 << -.606531;
        QTest::newRow("negative") << 0.0 << -.5 << -1.0 << 3.0 << 1.648721;
        QTest::newRow("dual clip") << 0.0 << -2.0 << -1.0 << 3.0 << 3.0;
        QTest::newRow("dual clip off") << 0.0 << -2.0 << -1.0 << 0.0 << 7.389056;
        QTest::newRow("inside the high bound") << 0.0 << -.22314355 << 1.0 << 3.0 << -1.25;
        QTest::newRow("clipped low") << -1.0 << 0.0 << -1.0 << 3.0 << 0.8;
    }
    void policyLossVectors()
    {
        QFETCH(double, logp);
        QFETCH(double, old);
        QFETCH(double, advantage);
        QFETCH(double, dual);
        QFETCH(double, loss);
        PolicyLossOptions options;
        options.dualClip = dual;
        const auto result = policyLoss(LogProb(row({logp})), OldLogProb(row({old})),
                                       Advantage(row({advantage})), Mask(row({1})), options, single());
        QVERIFY(std::abs(result.loss.item<double>() - loss) < 1e-6);
        QVERIFY(std::abs(result.ppoKl - (old - logp)) < 1e-12);
        QVERIFY(std::abs(result.approxKl - 0.5 * (old - logp) * (old - logp)) < 1e-12);
    }
    void policyLossClipFractions()
    {
        // One token of each kind: clipped high, inside, dual-clipped, pad.
        const auto result = policyLoss(LogProb(row({0, 0, 0, 5})), OldLogProb(row({-.5, 0, -2, 0})),
                                       Advantage(row({1, 1, -1, 1})), Mask(row({1, 1, 1, 0})), {}, single());
        QVERIFY(std::abs(result.clipFraction - 1.0 / 3) < 1e-12);
        QVERIFY(std::abs(result.clipFractionLower - 1.0 / 3) < 1e-12);
        QVERIFY(std::abs(result.ratioMax - std::exp(2.0)) < 1e-9);
        QVERIFY(std::abs(result.ratioMin - 1) < 1e-12);
    }
    /// GSPO: logp - old of 0.2 and -0.1 is a ratio of exp(0.05) for both tokens; each has half of its
    /// gradient.
    void sequenceRatioVectors()
    {
        PolicyLossOptions options;
        options.ratio = RatioLevel::Sequence;
        for (const auto& [high, loss, gradient] :
             {std::tuple(0.28, -std::exp(0.05), -std::exp(0.05) / 2), std::tuple(0.04, -1.04, 0.0)}) {
            options.clipHigh = high;
            const auto logp = row({-1, -2, 5}).requires_grad_(true);
            auto aggregation = single();
            aggregation.mode = AggregationMode::SeqMeanTokenMean;
            const auto result =
                policyLoss(LogProb(logp), OldLogProb(row({-1.2, -1.9, 0})), Advantage(row({1, 1, 1})),
                           Mask(row({1, 1, 0})), options, aggregation);
            result.loss.backward();
            QVERIFY(std::abs(result.loss.item<double>() - loss) < 1e-12);
            compareRow(logp.grad(), {gradient, gradient, 0}, 1e-12);
            QVERIFY(std::abs(result.ratioMax - std::exp(0.05)) < 1e-12);
            QCOMPARE(result.clipFraction, gradient == 0 ? 1.0 : 0.0);
        }
    }
    /// The gradient of GSPO's loss as the paper writes it (eq. 5 and 7), from its definition.
    void sequenceRatioIsGspo()
    {
        const auto logp = row({-0.4, -1.1, -0.7, -2}).requires_grad_(true);
        const auto old = row({-0.5, -1.0, -0.9, -2.2});
        auto aggregation = single();
        aggregation.mode = AggregationMode::SeqMeanTokenMean;
        PolicyLossOptions options;
        options.ratio = RatioLevel::Sequence;
        for (const double a : {1.5, -0.7}) {
            const auto s = torch::exp((logp - old).mean());
            const auto written = -torch::minimum(s * a, s.clamp(1 - 0.2, 1 + 0.28) * a);
            const auto expected = torch::autograd::grad({written}, {logp})[0];
            const auto ours = policyLoss(LogProb(logp), OldLogProb(old), Advantage(torch::full_like(old, a)),
                                         Mask(torch::ones_like(old)), options, aggregation);
            QVERIFY(std::abs(ours.loss.item<double>() - written.item<double>()) < 1e-12);
            const auto got = torch::autograd::grad({ours.loss}, {logp})[0];
            QVERIFY((got - expected).abs().max().item<double>() < 1e-12);
        }
    }
    /// CISPO: a ratio of 2 weighs 1.28, one of 1/2 weighs 0.8, and both tokens learn.
    void cispoVectors()
    {
        PolicyLossOptions options;
        options.objective = PolicyObjective::Cispo;
        const double ln2 = std::log(2.0);
        const auto logp = row({-1, -1, -1, 3}).requires_grad_(true);
        const auto result =
            policyLoss(LogProb(logp), OldLogProb(row({-1 - ln2, -1 + ln2, -1.1, 0})),
                       Advantage(row({1, -1, 2, 1})), Mask(row({1, 1, 1, 0})), options, single());
        result.loss.backward();
        compareRow(logp.grad(), {-1.28, 0.8, -2 * std::exp(0.1), 0}, 1e-12);
        QVERIFY(std::abs(result.loss.item<double>() - (1.28 - 0.8 + 2 * std::exp(0.1))) < 1e-12);
        QVERIFY(std::abs(result.clipFraction - 2.0 / 3) < 1e-12);
        QVERIFY(std::abs(result.clipFractionHigh - 1.0 / 3) < 1e-12);
        QCOMPARE(result.clipFractionLower, 0.0);
    }
    /// The product of a response's weights, or 0: e^-0.5 e^0.7 = e^0.2 is below 2, e^1 is not.
    void sequenceMaskVectors()
    {
        const auto weights = behaviourWeights(OldLogProb(torch::cat({row({0, 0, 9}), row({0, 0, 0})})),
                                              torch::cat({row({0.5, -0.7, 0}), row({-0.5, -0.5, 0})}),
                                              Mask(torch::cat({row({1, 1, 0}), row({1, 1, 1})})), 2,
                                              BehaviourCorrection::SequenceMask);
        compareRow(weights[0].unsqueeze(0), {std::exp(0.2), std::exp(0.2), 0}, 1e-12);
        compareRow(weights[1].unsqueeze(0), {0, 0, 0}, 1e-12);
    }
    /// Against all choices of the k - 1 others, for groups with ties and of several sizes.
    void maxAtKAgainstEnumeration()
    {
        Rng rng(3);
        for (int n = 1; n <= 7; ++n)
            for (int k = 2; k <= 5; ++k) {
                std::vector<double> scores;
                for (int i = 0; i < n; ++i)
                    scores.push_back(static_cast<double>(rng.below(5)) / 2 - 1);
                const std::vector<std::int64_t> group(scores.size(), 7);
                const auto got = maxAtKAdvantages(scores, group, k);
                const int chosen = std::min(k, n);
                for (int i = 0; i < n; ++i) {
                    double sum = 0, count = 0;
                    for (unsigned others = 0; chosen >= 2 && others < 1u << n; ++others) {
                        if ((others >> i & 1u) != 0 || std::popcount(others) != chosen - 1)
                            continue;
                        double best = -1e9;
                        for (int j = 0; j < n; ++j)
                            best = (others >> j & 1u) != 0 ? std::max(best, scores[std::size_t(j)]) : best;
                        sum += std::max(0.0, scores[std::size_t(i)] - best);
                        ++count;
                    }
                    const double expected = count > 0 ? chosen * sum / count : 0;
                    QVERIFY2(std::abs(got[std::size_t(i)] - expected) < 1e-12,
                             qPrintable(QStringLiteral("n %1 k %2 i %3: %4, not %5")
                                            .arg(n)
                                            .arg(k)
                                            .arg(i)
                                            .arg(got[std::size_t(i)])
                                            .arg(expected)));
                }
            }
    }
    /// Over all samples of four from three programs: the estimate's mean is the gradient of E[max of k].
    void maxAtKIsUnbiased()
    {
        const std::array reward{0.0, 0.3, 1.0};
        const auto logits = row({0.2, -0.5, 0.1}).requires_grad_(true);
        const auto logp = torch::log_softmax(logits, 1)[0];
        const std::vector<std::int64_t> group(4, 0);
        for (int k = 2; k <= 4; ++k) {
            torch::Tensor objective = torch::zeros({}, torch::kFloat64), surrogate = objective.clone();
            for (int code = 0; code < static_cast<int>(std::pow(3, k)); ++code) {
                auto p = torch::ones({}, torch::kFloat64);
                double best = -1;
                for (int i = 0, rest = code; i < k; ++i, rest /= 3) {
                    p = p * logp[rest % 3].exp();
                    best = std::max(best, reward[std::size_t(rest % 3)]);
                }
                objective = objective + p * best;
            }
            for (int code = 0; code < 81; ++code) {
                double p = 1;
                std::vector<double> scores;
                std::vector<std::int64_t> arms;
                for (int i = 0, rest = code; i < 4; ++i, rest /= 3) {
                    arms.push_back(rest % 3);
                    scores.push_back(reward[std::size_t(rest % 3)]);
                    p *= std::exp(logp[rest % 3].item<double>());
                }
                const auto advantages = maxAtKAdvantages(scores, group, k);
                for (std::size_t i = 0; i < 4; ++i)
                    surrogate = surrogate + p * advantages[i] / 4 * logp[arms[i]];
            }
            const auto expected = torch::autograd::grad({objective}, {logits}, {}, true)[0];
            const auto got = torch::autograd::grad({surrogate}, {logits}, {}, true)[0];
            QVERIFY2((got - expected).abs().max().item<double>() < 1e-12, qPrintable(QString::number(k)));
        }
    }
    void valueLossClips()
    {
        // V = 1, V_old = 0, eps 0.2, R = 2: free (1-2)^2 = 1, clipped (0.2-2)^2 = 3.24 is larger.
        const auto result =
            valueLoss(Value(row({1})), OldValue(row({0})), Return(row({2})), Mask(row({1})), 0.2, single());
        QVERIFY(std::abs(result.loss.item<double>() - 1.62) < 1e-12);
        QCOMPARE(result.clipFraction, 1.0);
        const auto unclipped =
            valueLoss(Value(row({1})), OldValue(row({0})), Return(row({2})), Mask(row({1})), 0, single());
        QVERIFY(std::abs(unclipped.loss.item<double>() - 0.5) < 1e-12);
    }

    void groupVectors()
    {
        const std::vector<std::int64_t> group{5, 5, 5, 5};
        const auto check = [&](const std::vector<double>& r, GroupBaseline baseline, double eps,
                               const std::vector<double>& expected) {
            const auto a = groupAdvantages(r, group, baseline, eps);
            for (std::size_t i = 0; i < a.size(); ++i)
                QVERIFY2(std::abs(a[i] - expected[i]) < 1e-6, qPrintable(QString::number(a[i], 'g', 9)));
        };
        check({1, 0, 0, 0}, GroupBaseline::Grpo, 1e-6, {1.499997, -.499999, -.499999, -.499999});
        check({1, 0, 0, 0}, GroupBaseline::DrGrpo, 0, {.75, -.25, -.25, -.25});
        check({1, 0, 0, 0}, GroupBaseline::Rloo, 0, {1, -1.0 / 3, -1.0 / 3, -1.0 / 3});
        check({-1, 1, 2, 3}, GroupBaseline::Grpo, 1e-6, {-1.317464, -.146385, .439155, 1.024694});
    }
    void groupsAreApartAndSingletonsSafe()
    {
        const std::vector<double> r{1, 3, 10, 7};
        const std::vector<std::int64_t> group{0, 0, 1, 2};
        const auto dr = groupAdvantages(r, group, GroupBaseline::DrGrpo);
        QCOMPARE(dr, (std::vector<double>{-1, 1, 0, 0}));
        const auto loo = groupAdvantages(r, group, GroupBaseline::Rloo);
        QCOMPARE(loo, (std::vector<double>{-2, 2, 0, 0}));
        QVERIFY(std::abs(groupAdvantages(r, group, GroupBaseline::Grpo, 1e-6)[2] - 10) < 1e-4);
        QCOMPARE(fractionZeroStd(r, group), 2.0 / 3);
    }
    void discountedReturnsAndWhitening()
    {
        const auto returns = discountedReturns(TokenReward(row({1, 0, 2, 50})), Mask(row({1, 1, 1, 0})), 0.5);
        compareRow(returns.tensor, {1.5, 1, 2, 0}, 1e-12);
        // Mean 2, unbiased variance 1 over the three valid tokens; the pad stays 0.
        const auto white = whiten(Advantage(row({1, 2, 3, 1e9})), Mask(row({1, 1, 1, 0})));
        compareRow(white.tensor, {-1, 0, 1, 0}, 1e-7);
    }

    void rewardStandsOnLastToken()
    {
        const auto mask = maskFromLengths({3, 1, 0}, 4, torch::kFloat64);
        const auto kl = torch::full({3, 4}, 2.0, torch::kFloat64);
        const auto rewards = placeRewards(torch::tensor({1.0, -1.0, 9.0}, torch::kFloat64), kl, mask, 0.05);
        compareRow(rewards.tensor, {-.1, -.1, .9, 0, -1.1, 0, 0, 0, 0, 0, 0, 0}, 1e-12);
        // A response that was given tokens before, between and after its own.
        const Mask holes(torch::tensor({0.0, 1.0, 0.0, 1.0, 0.0}, torch::kFloat64).view({1, 5}));
        const auto placed = placeRewards(torch::tensor({1.0}, torch::kFloat64),
                                         torch::full({1, 5}, 2.0, torch::kFloat64), holes, 0.05);
        compareRow(placed.tensor, {0, -.1, 0, .9, 0}, 1e-12);
        const auto none =
            placeRewards(torch::tensor({1.0}, torch::kFloat64), torch::zeros({1, 0}, torch::kFloat64),
                         Mask(torch::zeros({1, 0}, torch::kFloat64)), 0.05);
        QCOMPARE(none.tensor.numel(), std::int64_t(0));
    }
    void klController()
    {
        KlController controller(0.1, 0.1, 1000);
        controller.update(10.0, 100); // error clipped to 0.2
        QVERIFY(std::abs(controller.coefficient() - 0.1 * 1.02) < 1e-12);
        controller.update(0.0, 100); // error clipped to -0.2
        QVERIFY(std::abs(controller.coefficient() - 0.1 * 1.02 * 0.98) < 1e-12);
        KlController fixed(0.1, 0, 1000);
        fixed.update(10, 100);
        QCOMPARE(fixed.coefficient(), 0.1);
    }
    void klEstimatorsAgainstExactCategorical()
    {
        // Expectations over all five outcomes are exact: E[k1] = E[k3] = KL(p || q), and d is log p - log q.
        const std::vector<double> p{.5, .2, .15, .1, .05}, q{.2, .3, .1, .25, .15};
        double exact = 0, absolute = 0, second = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const double d = std::log(p[i] / q[i]);
            exact += p[i] * d;
            absolute += p[i] * std::abs(d);
            second += p[i] * 0.5 * d * d;
        }
        const auto pp = row(p), qq = row(q);
        const auto expectation = [&](KlEstimator e) {
            const auto kl =
                klPerToken(LogProb(pp.log()), RefLogProb(qq.log()), Mask(torch::ones_like(pp)), e);
            QVERIFY2(e != KlEstimator::K3 || (kl >= 0).all().item<bool>(), "k3 must not be negative");
            const double value = (pp * kl).sum().item<double>();
            const double expected = e == KlEstimator::Abs ? absolute : e == KlEstimator::K2 ? second : exact;
            QVERIFY2(std::abs(value - expected) < 1e-12, qPrintable(QString::number(value)));
        };
        for (const auto e : {KlEstimator::K1, KlEstimator::Abs, KlEstimator::K2, KlEstimator::K3})
            expectation(e);
        QVERIFY(!klEstimatorFromName("k9"));
        QVERIFY(*klEstimatorFromName("k3") == KlEstimator::K3);
    }

    /// verl's "low_var_kl" clamps d to +-20 and the value to +-10.
    void k3HasTheClampsOfVerl()
    {
        const auto d = row({0, 1, -1, -3, 30, -30, 9});
        const auto kl = klPerToken(LogProb(d), RefLogProb(torch::zeros_like(d)), Mask(torch::ones_like(d)),
                                   KlEstimator::K3);
        compareRow(kl, {0, std::exp(-1.0), std::exp(1.0) - 2, 10, 10, 10, std::exp(-9.0) + 8}, 1e-12);
    }
    void whiteningByMatrix()
    {
        // Rows 0 and 2 are one group: 1, 3, 5 and 7 without the pad, mean 4, unbiased variance 20/3.
        const auto x = torch::tensor({1.0, 3.0, 100.0, 102.0, 5.0, 7.0}, torch::kFloat64).reshape({3, 2});
        const auto mask = maskFromLengths({2, 1, 2}, 2, torch::kFloat64);
        const std::vector<std::int64_t> group{4, 9, 4};
        const auto white = whitenByGroup(Advantage(x), mask, group);
        const double s = std::sqrt(20.0 / 3);
        compareRow(white.tensor, {-3 / s, -1 / s, 0, 0, 1 / s, 3 / s}, 1e-7);
    }
    void classesOfTokens()
    {
        // TritonRL eq. 1 and 2: two responses, plan tokens first.
        const auto mask = maskFromLengths({4, 3}, 5, torch::kFloat64);
        const auto plan =
            torch::tensor({1., 1., 0., 0., 1., 1., 0., 0., 0., 0.}, torch::kFloat64).reshape({2, 5});
        const std::vector<double> planAdvantage{2, -2}, codeAdvantage{0.5, -0.5};
        const auto a = classAdvantages(planAdvantage, codeAdvantage, plan, mask);
        compareRow(a.tensor, {2, 2, .5, .5, 0, -2, -.5, -.5, 0, 0}, 1e-12);
        const auto w = classWeights(plan, mask, 0.1);
        compareRow(w, {.05, .05, .5, .5, 0, .1, .5, .5, 0, 0}, 1e-12);
        auto aggregation = Aggregation::over(mask, AggregationMode::TokenMean, 5);
        aggregation.weights = w;
        // J = mean over responses of alpha F_plan + F_code, F the mean over the class's tokens; ratio 1.
        const auto zero = torch::zeros({2, 5}, torch::kFloat64);
        const auto loss = policyLoss(LogProb(zero), OldLogProb(zero), a, mask, {}, aggregation);
        QVERIFY(std::abs(loss.loss.item<double>() + (0.1 * 2 + 0.5 + 0.1 * -2 - 0.5) / 2) < 1e-12);
        const auto one = policyLoss(LogProb(zero), OldLogProb(zero),
                                    Advantage(torch::ones({2, 5}, torch::kFloat64)), mask, {}, aggregation);
        QVERIFY(std::abs(one.loss.item<double>() + 1.1) < 1e-12);
        // A response without plan tokens, and one without code.
        const auto edge = classWeights(torch::tensor({0., 0., 1., 1.}, torch::kFloat64).reshape({2, 2}),
                                       maskFromLengths({2, 2}, 2, torch::kFloat64), 0.1);
        compareRow(edge, {.5, .5, .05, .05}, 1e-12);
    }
    void behaviourIsCorrectedFor()
    {
        // Drawn from mu, weighted by pi / mu: expectations over all outcomes are those under pi.
        const std::vector<double> pi{.5, .2, .15, .1, .05}, mu{.3, .3, .2, .1, .1}, f{1, -2, 3, .5, 7};
        const auto pp = row(pi), mm = row(mu);
        const Mask mask(torch::ones_like(pp));
        const auto w = behaviourWeights(OldLogProb(pp.log()), mm.log(), mask, 10);
        const double expected = (pp * row(f)).sum().item<double>();
        QVERIFY(std::abs((mm * w * row(f)).sum().item<double>() - expected) < 1e-12);
        // The loss of such tokens at ratio 1 is -E_pi[A].
        const auto loss = policyLoss(LogProb(pp.log()), OldLogProb(pp.log()), Advantage(row(f)), mask, {},
                                     single(), w * mm);
        QVERIFY(std::abs(loss.loss.item<double>() + expected) < 1e-12);
        compareRow(behaviourWeights(OldLogProb(row({0, -1, 5})), row({-3, -1, 0}), Mask(row({1, 1, 0})), 2),
                   {2, 1, 0}, 1e-12);
    }
    void temperatureIsAnnealed()
    {
        ParameterSet parameters(stageParameters(StageKind::Rl));
        const auto at = [&](std::int64_t iteration) {
            return RlSettings::from(parameters, iteration, 5, 100)->temperature;
        };
        QCOMPARE(at(3), 1.0);
        QVERIFY(parameters.setText("rl.temperature_end", "0.6"));
        QCOMPARE(at(0), 1.0);
        QCOMPARE(at(1), 0.9);
        QVERIFY(std::abs(at(4) - 0.6) < 1e-12);
        QVERIFY(std::abs(at(9) - 0.6) < 1e-12);
    }
    void groupsWithoutSignal()
    {
        const std::vector<double> scores{1, 1, 0, 2, 3, 3 + 1e-12};
        const std::vector<std::int64_t> group{7, 7, 2, 2, 5, 5};
        QCOMPARE(groupsWithSignal(scores, group), (std::vector<std::int64_t>{2}));
    }
    void classesNeedAGroupBaseline()
    {
        for (const char* algorithm : {"ppo", "reinforce++", "reinforce++-baseline", "self-critical"}) {
            ParameterSet parameters(stageParameters(StageKind::Rl));
            QVERIFY(parameters.setText("rl.algorithm", algorithm));
            QVERIFY(RlSettings::from(parameters, 0, 1, 10));
            QVERIFY(parameters.setText("rl.token_classes", "true"));
            const auto settings = RlSettings::from(parameters, 0, 1, 10);
            QVERIFY(!settings && settings.error().sentence().find(algorithm) != std::string::npos);
        }
        ParameterSet parameters(stageParameters(StageKind::Rl));
        QVERIFY(!parameters.setText("rl.algorithm", "gropo"));
    }

    void aggregationVectors()
    {
        const auto x = torch::tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, torch::kFloat64).reshape({2, 3});
        const auto mask = maskFromLengths({3, 1}, 3, torch::kFloat64);
        const auto value = [&](AggregationMode mode) {
            return aggregate(x, mask, Aggregation::over(mask, mode, 5)).item<double>();
        };
        QCOMPARE(value(AggregationMode::TokenMean), 10.0 / 4);
        QCOMPARE(value(AggregationMode::SeqMeanTokenSum), 10.0 / 2);
        QCOMPARE(value(AggregationMode::SeqMeanTokenMean), (2.0 + 4.0) / 2);
        QCOMPARE(value(AggregationMode::SeqMeanTokenSumNorm), 10.0 / (2 * 5));
    }
    void microBatchesGiveTheSameGradient_data()
    {
        QTest::addColumn<int>("mode");
        for (int mode = 0; mode < 4; ++mode)
            QTest::newRow(nameOf(static_cast<AggregationMode>(mode)).data()) << mode;
    }
    void microBatchesGiveTheSameGradient()
    {
        QFETCH(int, mode);
        const auto batch = randomBatch(8, 5, 4);
        const auto aggregation = Aggregation::over(batch.mask, static_cast<AggregationMode>(mode), 7);
        std::vector<torch::Tensor> gradients;
        for (const std::int64_t pieces : {1, 2, 4}) {
            auto logits = batch.logits.clone().requires_grad_();
            auto values = batch.values.clone().requires_grad_();
            const auto size = 8 / pieces;
            for (std::int64_t begin = 0; begin < 8; begin += size) {
                Batch piece;
                piece.mask = batch.mask.rows(begin, begin + size);
                piece.old = batch.old.rows(begin, begin + size);
                piece.ref = batch.ref.rows(begin, begin + size);
                piece.advantages = batch.advantages.rows(begin, begin + size);
                piece.oldValues = batch.oldValues.rows(begin, begin + size);
                piece.returns = batch.returns.rows(begin, begin + size);
                piece.tokens = batch.tokens.slice(0, begin, begin + size);
                fullLoss(piece, logits.slice(0, begin, begin + size), values.slice(0, begin, begin + size),
                         aggregation)
                    .backward();
            }
            gradients.push_back(torch::cat({logits.grad().reshape({-1}), values.grad().reshape({-1})}));
        }
        QVERIFY(gradients[0].abs().sum().item<double>() > 0);
        QVERIFY(torch::allclose(gradients[0], gradients[1], 1e-12, 1e-14));
        QVERIFY(torch::allclose(gradients[0], gradients[2], 1e-12, 1e-14));
    }
    void junkInPadsChangesNothing()
    {
        const auto clean = randomBatch(6, 5, 4);
        auto junk = clean;
        const auto pad = clean.mask.tensor <= 0;
        const auto spoil = [&](const torch::Tensor& x, double value) {
            return torch::where(pad, torch::full({}, value, x.options()), x);
        };
        junk.old = OldLogProb(spoil(clean.old.tensor, kNaN));
        junk.ref = RefLogProb(spoil(clean.ref.tensor, -1e30));
        junk.advantages = Advantage(spoil(clean.advantages.tensor, kNaN));
        junk.oldValues = OldValue(spoil(clean.oldValues.tensor, 1e30));
        junk.returns = Return(spoil(clean.returns.tensor, kNaN));
        const auto aggregation = Aggregation::over(clean.mask, AggregationMode::TokenMean, 5);
        const auto run = [&](const Batch& batch, const torch::Tensor& startValues) {
            auto logits = batch.logits.clone().requires_grad_();
            auto values = startValues.clone().requires_grad_();
            const auto loss = fullLoss(batch, logits, values, aggregation);
            loss.backward();
            return std::tuple(loss.item<double>(), logits.grad(), values.grad());
        };
        const auto [lossA, gradA, gradValueA] = run(clean, clean.values);
        const auto [lossB, gradB, gradValueB] = run(junk, spoil(clean.values, 1e20));
        QCOMPARE(lossA, lossB);
        QVERIFY(torch::equal(gradA, gradB));
        QVERIFY(torch::equal(gradValueA, gradValueB));
        QVERIFY(torch::equal(whiten(clean.advantages, clean.mask).tensor,
                             whiten(junk.advantages, clean.mask).tensor));
        QCOMPARE(explainedVariance(clean.oldValues.tensor, clean.returns, clean.mask),
                 explainedVariance(junk.oldValues.tensor, junk.returns, clean.mask));
    }
    void fullLossAgainstFiniteDifferences_data()
    {
        QTest::addColumn<int>("mode");
        QTest::addColumn<bool>("weighed");
        for (int mode = 0; mode < 4; ++mode)
            QTest::newRow(nameOf(static_cast<AggregationMode>(mode)).data()) << mode << false;
        QTest::newRow("token classes drawn by a mixture") << 0 << true;
    }
    void fullLossAgainstFiniteDifferences()
    {
        QFETCH(int, mode);
        QFETCH(bool, weighed);
        const auto batch = randomBatch(4, 4, 3);
        auto aggregation = Aggregation::over(batch.mask, static_cast<AggregationMode>(mode), 4);
        torch::Tensor correction;
        if (weighed) {
            const auto plan = (torch::arange(16).reshape({4, 4}) % 3 == 0).to(torch::kFloat64);
            aggregation.weights = classWeights(plan, batch.mask, 0.1);
            correction = behaviourWeights(batch.old, batch.ref.tensor, batch.mask, 2);
        }
        auto logits = batch.logits.clone().requires_grad_();
        auto values = batch.values.clone().requires_grad_();
        fullLoss(batch, logits, values, aggregation, correction).backward();
        const auto check = [&](const torch::Tensor& at, const torch::Tensor& gradient, bool isLogits) {
            const double h = 1e-6;
            for (std::int64_t i = 0; i < at.numel(); ++i) {
                const auto shifted = [&](double by) {
                    auto x = at.detach().clone();
                    x.view({-1})[i] += by;
                    return fullLoss(batch, isLogits ? x : batch.logits, isLogits ? batch.values : x,
                                    aggregation, correction)
                        .item<double>();
                };
                const double numeric = (shifted(h) - shifted(-h)) / (2 * h);
                const double analytic = gradient.reshape({-1})[i].item<double>();
                QVERIFY2(
                    std::abs(numeric - analytic) < 1e-7 + 1e-6 * std::abs(analytic),
                    qPrintable(QString::fromLatin1("%1: %2 against %3").arg(i).arg(analytic).arg(numeric)));
            }
        };
        check(logits, logits.grad(), true);
        check(values, values.grad(), false);
    }
    void explainedVarianceVectors()
    {
        const Mask mask(row({1, 1, 1, 1, 0}));
        const Return returns(row({1, 2, 3, 4, 77}));
        QVERIFY(std::abs(explainedVariance(row({1, 2, 3, 4, -5}), returns, mask) - 1) < 1e-9);
        QVERIFY(std::abs(explainedVariance(row({9, 9, 9, 9, 9}), returns, mask)) < 1e-4);
        QVERIFY(explainedVariance(row({4, 3, 2, 1, 0}), returns, mask) < -2.9);
    }
    void banditConverges_data()
    {
        QTest::addColumn<QString>("algorithm");
        for (const char* name : {"ppo", "grpo", "dr-grpo", "rloo", "reinforce++", "reinforce++-baseline",
                                 "self-critical", "token classes", "max-at-k"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    /// One state, one token, five arms: from a uniform policy every algorithm must find the best arm.
    void banditConverges()
    {
        QFETCH(QString, algorithm);
        const auto name = algorithm.toStdString();
        torch::manual_seed(3);
        const std::map<std::string, GroupBaseline> baselines{
            {"grpo", GroupBaseline::Grpo},
            {"dr-grpo", GroupBaseline::DrGrpo},
            {"rloo", GroupBaseline::Rloo},
            {"reinforce++-baseline", GroupBaseline::ReinforceBaseline},
            {"token classes", GroupBaseline::DrGrpo}};
        const std::vector<double> payoff{0, .2, 1, .5, -.3};
        auto logits = torch::zeros({5}, torch::kFloat64).requires_grad_();
        torch::optim::Adam adam({logits}, torch::optim::AdamOptions(0.05));
        const Mask mask(torch::ones({64, 1}, torch::kFloat64));
        std::vector<std::int64_t> group;
        for (std::int64_t i = 0; i < 64; ++i)
            group.push_back(i / 8);
        for (int iteration = 0; iteration < 60; ++iteration) {
            const auto old = torch::log_softmax(logits, 0).detach();
            const auto arms = torch::multinomial(old.exp(), 64, true);
            const auto scores = torch::tensor(payoff, torch::kFloat64).index_select(0, arms);
            const auto rewards = placeRewards(scores, torch::zeros({64, 1}, torch::kFloat64), mask, 0);
            const std::vector<double> r(scores.const_data_ptr<double>(),
                                        scores.const_data_ptr<double>() + 64);
            auto aggregation = Aggregation::over(mask, AggregationMode::TokenMean, 1);
            Advantage advantages;
            if (name == "ppo") {
                const OldValue zero(torch::zeros({64, 1}, torch::kFloat64));
                advantages = whiten(gae(rewards, zero, mask, 1, 0.95).advantages, mask);
            } else if (name == "reinforce++") {
                advantages = whiten(Advantage(discountedReturns(rewards, mask, 1).tensor), mask);
            } else if (name == "self-critical") {
                auto over = r;
                for (double& value : over)
                    value -= payoff[std::size_t(old.argmax().item<std::int64_t>())];
                advantages = broadcastAdvantages(over, mask);
            } else {
                const auto perResponse = name == "max-at-k" ? maxAtKAdvantages(r, group, 2)
                                                            : groupAdvantages(r, group, baselines.at(name));
                advantages = broadcastAdvantages(perResponse, mask);
                if (name == "reinforce++-baseline")
                    advantages = whiten(advantages, mask);
                if (name == "token classes") { // half of the answers are plans
                    const auto plan = (torch::arange(64).unsqueeze(1) % 2).to(torch::kFloat64);
                    advantages = classAdvantages(perResponse, perResponse, plan, mask);
                    aggregation.weights = classWeights(plan, mask, 0.1);
                }
            }
            for (int epoch = 0; epoch < 2; ++epoch) {
                adam.zero_grad();
                const LogProb logp(torch::log_softmax(logits, 0).index_select(0, arms).unsqueeze(1));
                policyLoss(logp, OldLogProb(old.index_select(0, arms).unsqueeze(1)), advantages, mask, {},
                           aggregation)
                    .loss.backward();
                adam.step();
            }
        }
        const auto p = torch::softmax(logits, 0);
        QVERIFY2(p[2].item<double>() > 0.9, qPrintable(QString::number(p[2].item<double>())));
    }
    /// A policy that is sampled by a mixture learns as one that is sampled itself, since its draws are
    /// weighed.
    void banditConvergesOffPolicy()
    {
        torch::manual_seed(4);
        const std::vector<double> payoff{0, .2, 1, .5, -.3};
        auto logits = torch::zeros({5}, torch::kFloat64).requires_grad_();
        torch::optim::Adam adam({logits}, torch::optim::AdamOptions(0.05));
        const Mask mask(torch::ones({64, 1}, torch::kFloat64));
        for (int iteration = 0; iteration < 60; ++iteration) {
            const auto old = torch::log_softmax(logits, 0).detach();
            // 0.7 of the policy and 0.3 of its square root, which prefers what the policy does not.
            const auto mu = 0.7 * old.exp() + 0.3 * torch::softmax(old / 2, 0);
            const auto arms = torch::multinomial(mu, 64, true);
            const auto scores = torch::tensor(payoff, torch::kFloat64).index_select(0, arms);
            const OldLogProb drawn(old.index_select(0, arms).unsqueeze(1));
            const auto weights =
                behaviourWeights(drawn, mu.log().index_select(0, arms).unsqueeze(1), mask, 2);
            const Advantage advantages((scores - scores.mean()).unsqueeze(1));
            adam.zero_grad();
            const LogProb logp(torch::log_softmax(logits, 0).index_select(0, arms).unsqueeze(1));
            policyLoss(logp, drawn, advantages, mask, {},
                       Aggregation::over(mask, AggregationMode::TokenMean, 1), weights)
                .loss.backward();
            adam.step();
        }
        QVERIFY(torch::softmax(logits, 0)[2].item<double>() > 0.8);
    }

    void bootstrapCoversTheMean()
    {
        std::vector<double> differences;
        for (int i = 0; i < 40; ++i)
            differences.push_back(0.5 + 0.1 * ((i * 7) % 11 - 5));
        const auto interval = pairedBootstrap(differences, 0.95, 2000, 1);
        QVERIFY(interval.low < interval.mean && interval.mean < interval.high);
        QVERIFY(interval.low > 0.35 && interval.high < 0.65);
        const std::vector<double> constant(10, 2.0);
        QCOMPARE(pairedBootstrap(constant, 0.95, 100, 1).low, 2.0);
    }
    void speedupsAreSummedUp()
    {
        Metrics metrics;
        addSpeedups(metrics, {});
        QVERIFY(metrics.empty());
        const std::vector<double> speedups{4.0, 1.0, 0.5, 2.0};
        addSpeedups(metrics, speedups);
        QCOMPARE(metrics.at(metric::speedupGeomean), std::sqrt(2.0));
        QCOMPARE(metrics.at(metric::speedup.part("p50")), 1.5);
        QCOMPARE(metrics.at(metric::speedup.part("p90")), 3.4); // 2 + 0.7 * (4 - 2)
        QCOMPARE(metrics.at(metric::speedup.part("max")), 4.0);
    }

    /// Texts of 600 tokens whose log-probabilities, about -900, differ by less than their sums have in fp32.
    void contrastIsComputedInDouble()
    {
        Rng rng(12);
        constexpr std::int64_t texts = 8, tokens = 600;
        torch::Tensor own = torch::empty({texts, tokens}), other = torch::empty({texts, tokens});
        std::vector<long double> difference(texts);
        for (std::int64_t i = 0; i < texts; ++i) {
            for (std::int64_t t = 0; t < tokens; ++t) {
                const auto first = static_cast<float>(-3 * rng.uniform());
                const auto second = static_cast<float>(first + 1e-6 * (rng.uniform() - 0.5));
                own[i][t] = first;
                other[i][t] = second;
                difference[static_cast<std::size_t>(i)] += static_cast<long double>(first) - second;
            }
        }
        long double expected = 0;
        double right = 0;
        for (const long double d : difference) {
            expected += std::log1p(std::exp(-d));
            right += d > 0 ? 1 : 0;
        }
        QVERIFY(right > 0 && right < texts);
        own.requires_grad_(true);
        const ContrastLoss found = contrastLoss(own, other);
        QCOMPARE(found.loss.scalar_type(), torch::kFloat64);
        QCOMPARE(found.right, right);
        const double error = std::abs(found.loss.item<double>() - static_cast<double>(expected));
        QVERIFY2(error < 1e-12, qPrintable(QString::number(error)));
        // The same in single precision has another loss, and takes some of the texts for others.
        const torch::Tensor single = own.detach().sum(1) - other.sum(1);
        const double rounded =
            std::abs(-torch::log_sigmoid(single).sum().item<double>() - static_cast<double>(expected));
        QVERIFY2(rounded > 1e-6, qPrintable(QString::number(rounded)));
        double worst = 0;
        for (std::int64_t i = 0; i < texts; ++i)
            worst = std::max(worst, std::abs(single[i].item<double>() -
                                             static_cast<double>(difference[static_cast<std::size_t>(i)])));
        QVERIFY2(worst > 1e-6, qPrintable(QString::number(worst)));
        qInfo("loss off by %g in double, by %g in single precision; a difference by %g", error, rounded,
              worst);
        // The gradient of each token is sigmoid(-difference), downwards.
        found.loss.backward();
        for (std::int64_t i = 0; i < texts; ++i) {
            const auto slope =
                static_cast<double>(-1 / (1 + std::exp(difference[static_cast<std::size_t>(i)])));
            QVERIFY(std::abs(own.grad()[i][0].item<double>() - slope) < 1e-7);
            QVERIFY(std::abs(own.grad()[i][tokens - 1].item<double>() - slope) < 1e-7);
        }
    }

    void learningRatesEndAtTheirFloor()
    {
        ParameterSet parameters(stageParameters(StageKind::Rl));
        for (const char* assignment :
             {"rl.schedule=linear", "rl.lr=0.5", "rl.critic_lr=2", "rl.lr_floor=0.25"})
            QVERIFY(parameters.setAssignment(assignment));
        const auto first = RlSettings::from(parameters, 0, 101, 100);
        const auto last = RlSettings::from(parameters, 100, 101, 100);
        QVERIFY(first && last);
        QCOMPARE(first->learningRate, 0.5);
        QVERIFY(std::abs(last->learningRate - 0.125) < 1e-12);
        QVERIFY(std::abs(last->criticLearningRate - 0.5) < 1e-12);
    }

    void unknownAlgorithmIsRefused()
    {
        // As a run.toml of a later version could name one.
        ParameterDeclarations declarations;
        for (auto spec : stageParameters(StageKind::Rl).specs()) {
            if (spec.key == "rl.algorithm")
                spec.choices.emplace_back("dance");
            declarations.add(spec);
        }
        ParameterSet parameters(declarations);
        QVERIFY(parameters.setAssignment("rl.algorithm=dance"));
        const auto settings = RlSettings::from(parameters, 0, 10, 100);
        QVERIFY(!settings);
        QVERIFY(settings.error().sentence().find("dance") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTrainingNumerics)
#include "tst_training_numerics.moc"
