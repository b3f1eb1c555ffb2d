// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learning/learner.h"
#include "training/learning/targets.h"
#include "training/sampling/rollout.h"

#include <cstdint>
#include <set>
#include <vector>

namespace sparserl {

/// Returns the experience of a rollout, limited to `groups` unless this is nullptr. With `greedy`, includes
/// the rewards of the greedy programs.
Experience experienceOf(const Rollout& rollout, const Policy& policy,
                        const std::set<std::int64_t>* groups = nullptr, bool greedy = false);

/// Returns the groups that dynamic sampling keeps: the first `wanted` groups with a signal or, if none has a
/// signal, the first `wanted` groups of the first round.
std::set<std::int64_t> learnedGroups(const Rollout& rollout, std::int64_t wanted);

/// Returns the advantages of the bytes of each item's program (SampleEvent::advantages). `targets` belong to
/// the experience of the rollout with the same `groups`. An item gets none if the policy is not trained on
/// it, or if its text is not the text of its tokens. Advantages are rounded to four digits.
std::vector<std::vector<AdvantageRun>> advantagesOf(const Rollout& rollout, const Experience& experience,
                                                    const LearningTargets& targets,
                                                    const Tokenizer& tokenizer,
                                                    const std::set<std::int64_t>* groups = nullptr);

/// Returns the entropy, in nats, of the families of compiled programs.
double familyEntropy(const Rollout& rollout);

} // namespace sparserl
