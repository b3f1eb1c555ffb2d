// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/rng.h"
#include "policy/policy/policy.h"
#include "training/learning/optimizer.h"
#include "training/learning/rl_settings.h"
#include "training/learning/targets.h"
#include "training/work/process_group.h"
#include "training/work/statistics.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// Policy, reference, critic and their optimizers: one iteration of policy-gradient learning. An
/// interruption takes effect after one micro-batch at most. Several processes get the same experience; each
/// runs its part of the rows through the models, and all end with the same weights. What interrupts one
/// interrupts all.
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
    std::optional<LearningTargets> prepare(const Experience& experience, const RlSettings& settings,
                                           Metrics& metrics);
    /// Epochs over minibatches in an order drawn from `rng`. `frozen`: only the critic learns. Nothing where
    /// it was interrupted: weights and optimizers are then what they were before.
    std::optional<Metrics> update(const Experience& experience, const LearningTargets& targets,
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
    bool actorMinibatch(const Experience& experience, const LearningTargets& targets,
                        const RlSettings& settings, std::span<const std::int64_t> rows, bool first,
                        Totals& totals);
    void criticMinibatch(const Experience& experience, const LearningTargets& targets,
                         const RlSettings& settings, std::span<const std::int64_t> rows, Totals& totals);

    Policy m_policy;
    Policy m_reference;
    std::optional<Critic> m_critic;
    Adam m_actorOptimizer;
    std::optional<Adam> m_criticOptimizer;
    KlController m_kl;
    CancelToken m_interrupt;
    std::shared_ptr<ProcessGroup> m_processes;
};

} // namespace sparserl
