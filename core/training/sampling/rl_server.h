// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/sampling/endpoint_sampler.h"
#include "training/work/stage_context.h"

#include <cstdint>
#include <memory>
#include <string>

namespace sparserl {

/// Returns whether a server draws the samples (rl.sampler = endpoint).
bool usesServer(const ParameterSet& parameters);
/// Fails if the parameters ask for something that a server cannot do.
Status checkServerParameters(const StageContext& context);
/// Connects to the server before the first sample is drawn. Returns nullptr if this process draws the
/// samples, and in processes other than process 0, because the limits of an endpoint apply to the whole run.
/// `frozen` is the frozenDigest() of the policy.
Result<std::unique_ptr<EndpointSampler>> serverOf(StageContext& context, const std::string& frozen);
/// Fails if the server's log-probabilities in an iteration are not those of the policy. In that case, the
/// samples come from other weights, whatever the server says, and would teach the policy something wrong.
Status checkServer(const StageContext& context, std::int64_t iteration, const Metrics& metrics);

} // namespace sparserl
