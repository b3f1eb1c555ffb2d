// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/learner.h"
#include "training/sampling/rollout.h"

#include <cstdint>
#include <set>

namespace sparserl {

/// What there is to learn from a rollout; of its groups only those in `groups`, where that is not null.
/// `greedy`: with the rewards of the greedy programs.
Experience experienceOf(const Rollout& rollout, const Policy& policy,
                        const std::set<std::int64_t>* groups = nullptr, bool greedy = false);

/// Dynamic sampling: the first `wanted` groups that have a signal, or as many of the first round where none
/// has.
std::set<std::int64_t> learnedGroups(const Rollout& rollout, std::int64_t wanted);

/// Entropy in nats of the families of what compiles.
double familyEntropy(const Rollout& rollout);

} // namespace sparserl
