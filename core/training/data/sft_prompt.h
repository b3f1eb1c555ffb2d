// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "target/target_id.h"

#include <cstdint>
#include <string>

namespace sparserl {

/// The task in words, which the encoder reads after a matrix (SparseRL A.29; the wording is ours).
std::string sftPrompt(const TargetVariant& variant = {});

/// The prompt for a target of this variant, for a policy trained with the prompt `trained`. An empty or
/// custom prompt stays.
std::string promptFor(const std::string& trained, const TargetVariant& variant);

/// The prompt for the policy's own task in another element type.
std::string promptInType(const std::string& trained, ElementType type);

/// The share of matrices in a step (from 0) that are shown with the prompt, for a policy without its own
/// prompt. With sft.prompt = fading, it falls linearly from 1 to 0 over the fraction sft.prompt_until of the
/// steps; otherwise 0.
double promptShareAt(const ParameterSet& parameters, std::int64_t step);

} // namespace sparserl
