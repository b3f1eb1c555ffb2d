// SPDX-License-Identifier: Apache-2.0
// Gradients and updates of tiny policies, computed in parts of several sizes: micro-batches and processes.
#pragma once

#include "matrix/generate.h"
#include "tests/training/tiny_policy.h"
#include "training/learning/data_parallel.h"
#include "training/learning/forward_passes.h"
#include "training/learning/learner.h"
#include "training/stages/text_learning.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sparserl::test {

/// Adds a column `policy`, and a row for each of the kinds.
inline void addPolicyKinds()
{
    QTest::addColumn<QString>("policy");
    for (const char* policy : policyKinds)
        QTest::newRow(policy) << QString::fromLatin1(policy);
}

/// Texts of all lengths about three matrices: what they say does not matter.
inline SequenceBatch someTexts(const Policy& policy, int count)
{
    SequenceBatch batch;
    const auto csr = generate("stencil2d(n=6,points=5)");
    for (int m = 0; m < 3; ++m)
        batch.inputs.push_back(
            {std::make_shared<const MatrixTokens>(policy.matrixTokens(*csr, std::uint64_t(m))), {}});
    for (int i = 0; i < count; ++i) {
        auto text = policy.tokenizer().encode("y[" + std::to_string(i * 37) + "] = x;" +
                                              std::string(std::size_t(i % 5), 'a'));
        text.push_back(Tokenizer::eosId);
        batch.inputOf.push_back(i % 3);
        batch.targets.push_back(std::move(text));
    }
    return batch;
}

inline std::vector<double> flat(const std::vector<torch::Tensor>& tensors)
{
    std::vector<double> values;
    for (const auto& tensor : tensors) {
        const auto x = tensor.detach().to(torch::kFloat64).contiguous();
        values.insert(values.end(), x.const_data_ptr<double>(), x.const_data_ptr<double>() + x.numel());
    }
    return values;
}

inline std::vector<double> weightsOf(const NamedTensors& parameters)
{
    std::vector<torch::Tensor> tensors;
    for (const auto& [name, tensor] : parameters)
        tensors.push_back(tensor);
    return flat(tensors);
}

inline double distance(const std::vector<double>& a, const std::vector<double>& b)
{
    if (a.size() != b.size() || a.empty())
        return std::nan("");
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

/// Gradients of the texts' cross-entropy, the loss before them.
inline std::vector<double> textGradient(const Policy& policy, const SequenceBatch& batch, ProcessGroup& group,
                                        std::int64_t microBatch = 2)
{
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < batch.targets.size(); ++i)
        all.push_back(std::int64_t(i));
    const auto own = takeTurns(all, group);
    const auto loss = addTextGradient(
        policy, own.size(), microBatch, learnedMask(batch).sum().item<double>(),
        [&](std::size_t begin, std::size_t end) {
            return selectRows(batch, std::span(own).subspan(begin, end - begin));
        },
        {}, group);
    sumGradients(policy.parameters(), group);
    std::vector<torch::Tensor> gradients{torch::tensor({loss->loss, loss->right})};
    for (const auto& [name, tensor] : policy.parameters()) {
        if (tensor.grad().defined())
            gradients.push_back(tensor.grad());
    }
    return flat(gradients);
}

inline RlSettings settingsOf(const std::string& algorithm)
{
    RlSettings s;
    s.critic = algorithm == "ppo";
    s.baseline = algorithm == "grpo"   ? GroupBaseline::Grpo
                 : algorithm == "rloo" ? GroupBaseline::Rloo
                                       : GroupBaseline::ReinforcePlusPlus;
    s.aggregation = algorithm == "grpo" ? AggregationMode::SeqMeanTokenMean : AggregationMode::TokenMean;
    s.epochs = 2;
    s.valueEpochs = 2;
    s.minibatch = 5;
    s.microBatch = 2;
    s.klLossCoef = 0.02;
    s.entropyCoef = 0.01;
    // Else a first step is the sign of a gradient, also where that is nothing but rounding.
    s.adam.epsilon = 1e-3;
    return s;
}

struct Learned
{
    std::vector<double> weights;
    Metrics metrics;
};

/// Twelve responses in three groups, with the policy's own probabilities as the sampler's.
inline Experience someExperience(const Policy& policy)
{
    Experience experience;
    experience.batch = someTexts(policy, 12);
    ProcessGroup alone;
    const auto statistics = statisticsOf(policy, experience.batch, 1.0, 64, false, {}, alone);
    for (std::int64_t i = 0; i < 12; ++i) {
        experience.scores.push_back(std::sin(double(3 * i)));
        experience.groups.push_back(experience.batch.inputOf[std::size_t(i)]);
        std::vector<float> own;
        for (std::size_t t = 0; t < experience.batch.targets[std::size_t(i)].size(); ++t)
            own.push_back(statistics->logProbs[i][std::int64_t(t)].item<float>());
        experience.samplerLogProbs.push_back(own);
    }
    return experience;
}

/// One iteration of a policy on an experience. The reference and the critic share with the policy what is
/// frozen, as in a run.
inline Learned learn(Policy policy, const Experience& experience, const std::shared_ptr<ProcessGroup>& group,
                     const RlSettings& settings)
{
    Policy reference = policy.clone(false);
    Rng rng(2);
    for (const auto& [name, tensor] : reference.parameters()) {
        const torch::Tensor drawn = torch::empty(tensor.sizes());
        fillNormal(rng, drawn, 0.02);
        torch::Tensor(tensor).add_(drawn);
    }
    std::optional<Critic> critic;
    if (settings.critic)
        critic.emplace(Critic::fromPolicy(policy, 5));
    const auto frozenOf = [](const Policy& of) {
        std::vector<torch::Tensor> frozen;
        for (const auto& [name, tensor] : of.model().weights()) {
            if (!tensor.requires_grad())
                frozen.push_back(tensor);
        }
        return flat(frozen);
    };
    const auto frozen = frozenOf(policy);
    Learner learner(std::move(policy), std::move(reference), std::move(critic), settings, 0.05, 0.1, 100, {},
                    group);
    Learned learned;
    const auto targets = learner.prepare(experience, settings, learned.metrics);
    learned.metrics.merge(*learner.update(experience, *targets, settings, false, Rng(3), {}));
    learned.weights = weightsOf(learner.policy().parameters());
    if (learner.critic()) {
        const auto more = weightsOf(learner.critic()->parameters());
        learned.weights.insert(learned.weights.end(), more.begin(), more.end());
    }
    if (frozenOf(learner.policy()) != frozen)
        qFatal("what is frozen has changed");
    return learned;
}

/// Verifies that two ways to compute one iteration end in the same weights and metrics, except for metrics of
/// single micro-batches.
inline void compareLearned(const Learned& one, const Learned& other)
{
    const double apart = distance(one.weights, other.weights);
    QVERIFY2(apart < 1e-6, qPrintable(QString::number(apart)));
    QCOMPARE(other.metrics.size(), one.metrics.size());
    for (const auto& [metric, value] : one.metrics) {
        // The highest and lowest share of clipped tokens, and a mean of variances.
        if (metric.find("low_min") != std::string::npos || metric.find("high_max") != std::string::npos ||
            metric.find("variance") != std::string::npos || metric.find("ratio_var") != std::string::npos)
            continue;
        const double there = other.metrics.at(metric);
        QVERIFY2(std::abs(there - value) <= 1e-5 * std::max(1.0, std::abs(value)) ||
                     (std::isnan(there) && std::isnan(value)),
                 (metric + " " + std::to_string(value) + " " + std::to_string(there)).c_str());
    }
}

} // namespace sparserl::test
