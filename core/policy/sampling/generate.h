// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "policy/model/language_model.h"
#include "policy/sampling/sampling.h"

#include <vector>

namespace sparserl {

/// Samples a sequence for each request, in batches (sampling.h). `hook` and `cancel` may be empty. On
/// cancellation, returns the samples with their tokens so far; those that have not ended are marked
/// `stopped`.
std::vector<Sample> generate(const LanguageModel& model, const std::vector<ModelInput>& inputs,
                             const std::vector<SampleRequest>& requests, const SamplingOptions& options,
                             const TokenHook& hook, const CancelToken& cancel);

} // namespace sparserl
