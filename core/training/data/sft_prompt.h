// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "target/target_id.h"

#include <cstdint>
#include <string>

namespace sparserl {

/// Returns the task in words, which the encoder reads after the matrix (SparseRL A.29; the wording is ours).
std::string sftPrompt(const TargetVariant& variant = {});

/// Returns the prompt for a target of this variant, for a policy that was trained with the prompt `trained`.
/// An empty prompt, or one with the user's own words, is returned unchanged.
std::string promptFor(const std::string& trained, const TargetVariant& variant);

/// Returns the prompt for the same task in another element type; prompts that are not ours stay unchanged.
std::string promptInType(const std::string& trained, ElementType type);

/// Returns the share of matrices in a step (from 0) that are shown with the prompt, for a policy that has no
/// prompt of its own. With sft.prompt = fading, the share falls linearly from 1 to 0 over the first steps
/// (fraction sft.prompt_until of all steps); otherwise it is 0.
double promptShareAt(const ParameterSet& parameters, std::int64_t step);

} // namespace sparserl
