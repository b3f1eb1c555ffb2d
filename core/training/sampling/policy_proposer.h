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

/// A policy as a source of a search: `policy`. It writes programs in batches, each batch at the next of its
/// `temperatures` (none: the writer's). The n-th program depends on the writer's seed, the target and n only,
/// so that a search repeats itself and continues where it was left. `progress` gets the share of a batch that
/// is written.
std::unique_ptr<Proposer> makePolicyProposer(std::shared_ptr<const ProgramWriter> writer, Target target,
                                             std::vector<double> temperatures, CancelToken cancel,
                                             std::function<void(double)> progress);

/// A policy for a search that no run keeps. It writes as the policy of a run with the default parameters
/// and this seed does: from now on this process computes as such a run does (computeRepeatably).
Result<std::shared_ptr<const ProgramWriter>> loadSearchPolicy(const std::filesystem::path& folder,
                                                              std::uint64_t seed);

} // namespace sparserl
