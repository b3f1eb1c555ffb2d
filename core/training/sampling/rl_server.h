// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/sampling/endpoint_sampler.h"
#include "training/work/stage_context.h"

#include <cstdint>
#include <memory>
#include <string>

namespace sparserl {

/// Whether a server samples (rl.sampler = endpoint).
bool usesServer(const ParameterSet& parameters);
/// Fails for parameters that ask for what a server cannot do.
Status checkServerParameters(const StageContext& context);
/// Reaches the server before anything is sampled. Only process 0 has it, whatever their number: the limits of
/// an endpoint are those of the run. null: another process, or one that samples itself. `frozen`:
/// frozenDigest() of the policy.
Result<std::unique_ptr<EndpointSampler>> serverOf(StageContext& context, const std::string& frozen);
/// Fails if the server's log-probabilities of an iteration are not those of the policy: samples of other
/// weights teach it something wrong, whatever the server says about them.
Status checkServer(const StageContext& context, std::int64_t iteration, const Metrics& metrics);

} // namespace sparserl
