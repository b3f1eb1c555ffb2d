// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/sampling/sampling.h"

#include <vector>

namespace sparserl {

/// Appends the next token of a request, calls the hook (may be empty), and returns whether this was the last
/// token.
bool takeToken(Sample& sample, std::size_t request, std::int32_t token, const SamplingOptions& options,
               const TokenHook& hook);

/// Marks every unfinished sample as stopped because the batch was cancelled.
void markCancelled(std::vector<Sample>& samples, const SamplingOptions& options);

} // namespace sparserl
