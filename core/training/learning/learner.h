// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/rng.h"
#include "policy/policy.h"
#include "training/learning/optimizer.h"
#include "training/learning/rl_settings.h"
#include "training/work/process_group.h"
#include "training/work/statistics.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// What an update learns from: responses, the log-probabilities their sampler reported, their scores.
struct Experience
{
    SequenceBatch batch;
    std::vector<std::vector<float>>
        samplerLogProbs; ///< Per response and token, full softmax at the temperature.
    /// The same under the distribution really drawn from; empty where that is the policy's own.
    std::vector<std::vector<float>> behaviourLogProbs = {};
    std::vector<double> scores; ///< One a response; stands at its last token.
    /// Score of the greedy program for each response's input, for SelfCritical; empty otherwise.
    std::vector<double> greedyScores = {};
    /// Where classes are apart (rl.token_classes): their scores, and 1 for each plan token.
    std::vector<double> planScores = {}, codeScores = {};
    std::vector<std::vector<float>> planTokens = {};
    std::vector<std::int64_t> groups; ///< Which responses answer the same input.
};

/// Everything about an experience that stays the same during its epochs. All [N, T].
struct Targets
{
    Mask mask;
    OldLogProb old;
    RefLogProb ref;
    OldValue values; ///< Undefined without a critic.
    Advantage advantages;
    Return returns;
    torch::Tensor classWeights;     ///< Aggregation::weights; undefined without token classes.
    torch::Tensor correction;       ///< behaviourWeights; undefined where samples are the policy's own.
    std::vector<std::int64_t> kept; ///< Responses that take part (all, unless groups are filtered).
};

/// Policy, reference, critic and their optimizers: one iteration of policy-gradient learning. Whoever
/// interrupts it waits for one micro-batch at most. Several processes get the same experience; each runs its
/// part of the rows through the models, and all end with the same weights. What interrupts one interrupts
/// all.
class Learner
{
public:
    Learner(Policy policy, Policy reference, std::optional<Critic> critic, const RlSettings& settings,
            double klCoefficient, double klTarget, double klHorizon, CancelToken interrupt = {},
            std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>());

    /// Called between micro-batches, for heartbeats: part of the update that is done.
    using Pulse = std::function<void(double fraction)>;

    /// Log-probabilities, values, advantages and returns of an experience; adds its metrics. Nothing where it
    /// was interrupted.
    std::optional<Targets> prepare(const Experience& experience, const RlSettings& settings,
                                   Metrics& metrics);
    /// Epochs over minibatches in an order drawn from `rng`. `frozen`: only the critic learns. Nothing where
    /// it was interrupted: weights and optimizers are then what they were before.
    std::optional<Metrics> update(const Experience& experience, const Targets& targets,
                                  const RlSettings& settings, bool frozen, Rng rng, const Pulse& pulse);

    /// Losses and divergences of an experience that is not learned from (held-out). Nothing where it was
    /// interrupted.
    std::optional<Metrics> measure(const Experience& experience, const Policy& before,
                                   const RlSettings& settings);

    const Policy& policy() const { return m_policy; }
    const Policy& reference() const { return m_reference; }
    const std::optional<Critic>& critic() const { return m_critic; }
    KlController& klController() { return m_kl; }
    const KlController& klController() const { return m_kl; }

    void saveOptimizers(SafeTensors& into) const;
    Status loadOptimizers(const SafeTensors& from);

private:
    struct Totals;
    Totals ofAll(const Totals& own);
    bool actorMinibatch(const Experience& experience, const Targets& targets, const RlSettings& settings,
                        std::span<const std::int64_t> rows, bool first, Totals& totals);
    void criticMinibatch(const Experience& experience, const Targets& targets, const RlSettings& settings,
                         std::span<const std::int64_t> rows, Totals& totals);

    Policy m_policy;
    Policy m_reference;
    std::optional<Critic> m_critic;
    Adam m_actorOptimizer;
    std::optional<Adam> m_criticOptimizer;
    KlController m_kl;
    CancelToken m_interrupt;
    std::shared_ptr<ProcessGroup> m_processes;
};

/// Rows of a batch; inputs that no row uses are left out.
SequenceBatch selectRows(const SequenceBatch& batch, std::span<const std::int64_t> rows);

/// Log-probabilities and entropy of a whole batch without gradient, `microBatch` rows at a time; [N, T].
/// Several processes share the rows. Nothing where it was interrupted.
std::optional<TokenStatistics> statisticsOf(const Policy& policy, const SequenceBatch& batch,
                                            double temperature, std::int64_t microBatch, bool withEntropy,
                                            const CancelToken& interrupt, ProcessGroup& processes);

} // namespace sparserl
