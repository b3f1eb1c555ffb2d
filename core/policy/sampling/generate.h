// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "policy/model/language_model.h"
#include "policy/sampling/sampling.h"

#include <functional>
#include <memory>
#include <vector>

namespace sparserl {

/// Samples a sequence for each request, in batches (sampling.h). `hook`, `cancel` and `reading` may be empty.
/// On cancellation, returns the samples with their tokens so far; those that have not ended are marked
/// `stopped`. `reading` is called between the layers while the inputs are read.
std::vector<Sample> generate(const LanguageModel& model, const std::vector<ModelInput>& inputs,
                             const std::vector<SampleRequest>& requests, const SamplingOptions& options,
                             const TokenHook& hook, const CancelToken& cancel,
                             const std::function<void()>& reading = {});
/// Reads the inputs for generate(). Returns nullptr if this is cancelled.
std::shared_ptr<const ReadInputs> readInputs(const LanguageModel& model,
                                             const std::vector<ModelInput>& inputs, const CancelToken& cancel,
                                             const std::function<void()>& reading);

} // namespace sparserl
