// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "policy/model/language_model.h"
#include "policy/sampling/sampling.h"

#include <functional>
#include <memory>
#include <vector>

namespace sparserl {

/// Samples programs in batches (sampling.h). `hook` and `cancel` may be empty. On cancellation, returns the
/// samples so far, unfinished and marked `stopped`. `reading` is called between the layers while inputs are
/// read; may be empty.
std::vector<Sample> generate(const LanguageModel& model, const std::vector<ModelInput>& inputs,
                             const std::vector<SampleRequest>& requests, const SamplingOptions& options,
                             const TokenHook& hook, const CancelToken& cancel,
                             const std::function<void()>& reading = {});
/// Reads the inputs for it. null: cancelled.
std::shared_ptr<const ReadInputs> readInputs(const LanguageModel& model,
                                             const std::vector<ModelInput>& inputs, const CancelToken& cancel,
                                             const std::function<void()>& reading);

} // namespace sparserl
