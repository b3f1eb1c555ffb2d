// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "matrix/target.h"
#include "search/proposer.h"
#include "training/sampling/generation.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace sparserl {

/// A policy as source `policy` of a search. It writes programs in batches, each at the next of its
/// `temperatures` (none: the writer's). The n-th program depends only on the writer's seed, the target and n,
/// so a search is repeatable and resumable. `progress` receives the completed fraction of a batch.
std::unique_ptr<Proposer> makePolicyProposer(std::shared_ptr<const ProgramWriter> writer, Target target,
                                             std::vector<double> temperatures, CancelToken cancel,
                                             std::function<void(double)> progress);

/// Loads a policy for a search outside a run. It generates like the policy of a run with default parameters
/// and this seed, and therefore makes this process compute like that run (computeRepeatably).
Result<std::shared_ptr<const ProgramWriter>> loadSearchPolicy(const std::filesystem::path& folder,
                                                              std::uint64_t seed);

} // namespace sparserl
