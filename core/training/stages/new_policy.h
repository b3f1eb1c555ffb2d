// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "training/work/stage_context.h"

#include <span>
#include <string>

namespace sparserl {

/// The ingredients of a new policy.
struct NewPolicy
{
    T5Config t5;
    PolicyConfig config;
};
/// The shape requested in the run's policy.* parameters, or why it is not valid. Its vocabulary is the
/// maximum size of the tokenizer.
Result<NewPolicy> newPolicyShape(const StageContext& context);
/// A policy according to the run's policy.* and tokenizer.* parameters. Trains its tokenizer on `texts` and
/// draws its weights from the seed.
Result<Policy> newPolicy(const StageContext& context, std::span<const std::string> texts);

} // namespace sparserl
