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

/// Performs the iterations of policy-gradient learning. Owns the policy, the reference policy, the critic and
/// the optimizers. An interruption takes effect within one micro-batch. Several processes get the same
/// experience, run their share of the rows through the models, and end with the same weights. An interruption
/// of one process interrupts all.
class Learner
{
public:
    Learner(Policy policy, Policy reference, std::optional<Critic> critic, const RlSettings& settings,
            double klCoefficient, double klTarget, double klHorizon, CancelToken interrupt = {},
            std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>());

    /// Called between micro-batches with the completed fraction of the update; used for heartbeats.
    using Pulse = std::function<void(double fraction)>;

    /// Computes the log-probabilities, values, advantages and returns of an experience, and adds its metrics.
    /// Returns nullopt on interruption.
    std::optional<LearningTargets> prepare(const Experience& experience, const RlSettings& settings,
                                           Metrics& metrics);
    /// Trains for the epochs of the settings, with minibatches in an order drawn from `rng`. With `frozen`,
    /// trains only the critic. On interruption, returns nullopt and leaves weights and optimizers unchanged.
    std::optional<Metrics> update(const Experience& experience, const LearningTargets& targets,
                                  const RlSettings& settings, bool frozen, Rng rng, const Pulse& pulse);

    /// Computes the losses of a held-out experience and the divergence from `before`. nullopt on
    /// interruption.
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
