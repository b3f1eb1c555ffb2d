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

/// Adds the sources of a search that a policy is.
///
/// `policy` writes programs in batches, each batch at the next of the `temperatures` (none: the writer's).
/// The n-th program depends on the writer's seed, the target and n only, so that a search repeats itself and
/// continues where it was left.
///
/// `refine`, for a policy that refines (ProgramWriter::refines), shows the policy one of the search's best
/// programs with its profile and asks for a faster one, a batch for each. Which one it shows depends on the
/// archive and on the number of the batch. The rest of a batch is dropped once the archive has grown, because
/// a search that was left and continues does not have it either.
///
/// `progress` gets the share of a batch that is written.
void addPolicySources(Proposers& proposers, const std::shared_ptr<const ProgramWriter>& writer,
                      const Target& target, const std::vector<double>& temperatures,
                      const CancelToken& cancel, const std::function<void(double)>& progress);

/// Fails with a sentence if the shares name `refine` and the policy does not refine.
Status checkShares(const std::map<std::string, double>& shares, const ProgramWriter& writer);

/// A policy for a search that no run keeps. It writes as the policy of a run with the default parameters
/// and this seed does: from now on this process computes as such a run does (computeRepeatably).
Result<std::shared_ptr<const ProgramWriter>> loadSearchPolicy(const std::filesystem::path& folder,
                                                              std::uint64_t seed);

} // namespace sparserl
