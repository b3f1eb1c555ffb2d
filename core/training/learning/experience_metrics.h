// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/targets.h"
#include "training/work/statistics.h"

namespace sparserl {

/// Adds the metrics of an experience before the policy is trained on it: KL divergence to the reference
/// policy, entropy, rewards, advantages, values, and the distance between sampler and policy. `now` holds the
/// statistics of the current policy.
void addExperienceMetrics(Metrics& metrics, const Experience& experience, const LearningTargets& targets,
                          const PenalisedRewards& rewards, const TokenStatistics& now, double klCoefficient);

} // namespace sparserl
