// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "target/target_id.h"

#include <cstdint>
#include <string>

namespace sparserl {

/// The task in words, as the encoder reads it after a matrix (SparseRL A.29; the wording is ours).
std::string sftPrompt(const TargetVariant& variant = {});

/// What a policy that was trained with the prompt `trained` reads for a target of this variant: the same
/// prompt for it. None and prompts of others stay.
std::string promptFor(const std::string& trained, const TargetVariant& variant);

/// The same for the prompt of a policy that is asked for its own task in another element type.
std::string promptInType(const std::string& trained, ElementType type);

/// For which share of the matrices of a step, from 0, a policy without a prompt of its own is shown that:
/// falls linearly from 1 to 0 over sft.prompt_until of the steps with sft.prompt = fading, else 0.
double promptShareAt(const ParameterSet& parameters, std::int64_t step);

} // namespace sparserl
