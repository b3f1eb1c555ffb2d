// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/learner.h"
#include "training/sampling/rollout.h"

#include <cstdint>
#include <set>

namespace sparserl {

/// Returns the experience of a rollout, limited to `groups` unless this is nullptr. With `greedy`, includes
/// the rewards of the greedy programs.
Experience experienceOf(const Rollout& rollout, const Policy& policy,
                        const std::set<std::int64_t>* groups = nullptr, bool greedy = false);

/// Returns the groups that dynamic sampling keeps: the first `wanted` groups with a signal or, if none has a
/// signal, the first `wanted` groups of the first round.
std::set<std::int64_t> learnedGroups(const Rollout& rollout, std::int64_t wanted);

/// Returns the entropy, in nats, of the families of compiled programs.
double familyEntropy(const Rollout& rollout);

} // namespace sparserl
