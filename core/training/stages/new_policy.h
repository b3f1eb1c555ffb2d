// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "training/work/stage_context.h"

#include <span>
#include <string>

namespace sparserl {

/// The shape of a policy that is created from scratch.
struct NewPolicy
{
    T5Config t5;
    PolicyConfig config;
};
/// Returns the shape that the run's policy.* parameters describe, or an Error that says why it is invalid.
/// The vocabulary of the shape has the maximum size of the tokenizer.
Result<NewPolicy> newPolicyShape(const StageContext& context);
/// Creates a policy from the run's policy.* and tokenizer.* parameters. Trains the tokenizer on `texts` and
/// draws the weights from the run's seed.
Result<Policy> newPolicy(const StageContext& context, std::span<const std::string> texts);

} // namespace sparserl
