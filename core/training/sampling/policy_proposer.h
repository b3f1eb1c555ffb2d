// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "matrix/target.h"
#include "search/search.h"
#include "training/sampling/generation.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// What a search learns from a policy's sources.
struct PolicyEvents
{
    std::function<void(double fraction)> progress; ///< Of a batch.
    /// The policy is an endpoint that cannot be asked any more. Its source then proposes only what came
    /// before.
    std::function<void(const Error& error)> failed;
};

/// Adds the sources of a search that come from a policy.
///
/// `policy` writes programs in batches, each at the next of the `temperatures` (none: the writer's). The n-th
/// program depends only on the writer's seed, the target and n, so a search is repeatable and resumable.
///
/// `refine`, for a policy that refines (ProgramWriter::refines), shows the policy one of the search's best
/// programs with its profile and asks for a faster one, one program for each batch. The choice depends on the
/// archive and the number of the batch. The rest of a batch is dropped once the archive has grown, because a
/// resumed search does not have it either.
void addPolicySources(Proposers& proposers, const std::shared_ptr<const ProgramWriter>& writer,
                      const Target& target, const std::vector<double>& temperatures,
                      const CancelToken& cancel, const PolicyEvents& events);

/// Fails if the shares name `refine` and the policy does not refine.
Status checkShares(const std::map<std::string, double>& shares, const ProgramWriter& writer);

/// Loads a policy for a search outside a run. It generates like the policy of a run with default parameters
/// and this seed, and therefore makes this process compute like that run (computeRepeatably).
Result<std::shared_ptr<const ProgramWriter>> loadSearchPolicy(const std::filesystem::path& folder,
                                                              std::uint64_t seed);

} // namespace sparserl
