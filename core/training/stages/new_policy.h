// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "training/work/stage_context.h"

#include <span>
#include <string>

namespace sparserl {

/// What a policy is made from.
struct NewPolicy
{
    T5Config t5;
    PolicyConfig config;
};
/// The shape that the run's policy.* ask for, or why no policy has it. Its vocabulary is the largest that the
/// tokenizer may have.
Result<NewPolicy> newPolicyShape(const StageContext& context);
/// A policy as the run's policy.* and tokenizer.* want it: its tokenizer learns from `texts`, its weights are
/// drawn from the seed.
Result<Policy> newPolicy(const StageContext& context, std::span<const std::string> texts);

} // namespace sparserl
