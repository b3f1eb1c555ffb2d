// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/sampling/sampling.h"

#include <vector>

namespace sparserl {

/// Takes the next token of a request, asks the hook (which may be empty) and says whether it was the last
/// one.
bool takeToken(Sample& sample, std::size_t request, std::int32_t token, const SamplingOptions& options,
               const TokenHook& hook);

/// Marks every sample that has not ended by itself as stopped by the cancelling of its batch.
void markCancelled(std::vector<Sample>& samples, const SamplingOptions& options);

} // namespace sparserl
