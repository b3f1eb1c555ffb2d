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

/// Policy, reference, critic and their optimizers: one iteration of policy-gradient learning. An interruption
/// takes effect within one micro-batch. Several processes receive the same experience. Each runs its part of
/// the rows through the models, and all end with the same weights. An interruption of one interrupts all.
class Learner
{
public:
    Learner(Policy policy, Policy reference, std::optional<Critic> critic, const RlSettings& settings,
            double klCoefficient, double klTarget, double klHorizon, CancelToken interrupt = {},
            std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>());

    /// Called between micro-batches for heartbeats, with the completed fraction of the update.
    using Pulse = std::function<void(double fraction)>;

    /// Log-probabilities, values, advantages and returns of an experience. Adds its metrics. nullopt on
    /// interruption.
    std::optional<LearningTargets> prepare(const Experience& experience, const RlSettings& settings,
                                           Metrics& metrics);
    /// Runs epochs over minibatches in an order drawn from `rng`. `frozen`: trains only the critic. On
    /// interruption, returns nullopt and leaves weights and optimizers unchanged.
    std::optional<Metrics> update(const Experience& experience, const LearningTargets& targets,
                                  const RlSettings& settings, bool frozen, Rng rng, const Pulse& pulse);

    /// Losses and divergences of a held-out experience. nullopt on interruption.
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
