// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/targets.h"
#include "training/work/statistics.h"

namespace sparserl {

/// What is said of an experience before anything is learned from it: KL to the reference, entropy, rewards,
/// advantages, values, and how far the sampler was from the policy. `now`: of the policy.
void addExperienceMetrics(Metrics& metrics, const Experience& experience, const LearningTargets& targets,
                          const PenalisedRewards& rewards, const TokenStatistics& now, double klCoefficient);

} // namespace sparserl
