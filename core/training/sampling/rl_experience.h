// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/learner.h"
#include "training/sampling/rollout.h"

#include <cstdint>
#include <set>

namespace sparserl {

/// The experience of a rollout, limited to `groups` unless null. `greedy`: includes the rewards of the greedy
/// programs.
Experience experienceOf(const Rollout& rollout, const Policy& policy,
                        const std::set<std::int64_t>* groups = nullptr, bool greedy = false);

/// Dynamic sampling: the first `wanted` groups with a signal, or as many groups of the first round if none
/// has one.
std::set<std::int64_t> learnedGroups(const Rollout& rollout, std::int64_t wanted);

/// Entropy in nats of the families of compiled programs.
double familyEntropy(const Rollout& rollout);

} // namespace sparserl
