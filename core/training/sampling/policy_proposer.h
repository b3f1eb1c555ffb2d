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

/// Callbacks from those sources of a search that use a policy.
struct PolicyEvents
{
    std::function<void(double fraction)> progress; ///< Fraction of a batch.
    /// Called if the policy is an endpoint and stops answering. The source then proposes only the programs
    /// that arrived before.
    std::function<void(const Error& error)> failed;
};

/// Adds the sources of a search that use a policy, which are `policy` and `refine`.
///
/// The source `policy` writes programs in batches, and each batch uses the next of the `temperatures` (if
/// there are none, the writer's temperature). The n-th program depends only on the writer's seed, the target
/// and n, so a search is repeatable and can resume.
///
/// The source `refine` exists if the policy can refine (ProgramWriter::refines()). For each batch, it shows
/// the policy one of the search's best programs with its profile and asks for a faster one. The choice
/// depends on the archive and the number of the batch. When the archive has grown, the rest of the batch is
/// dropped, because a resumed search would not have it either.
void addPolicySources(Proposers& proposers, const std::shared_ptr<const ProgramWriter>& writer,
                      const Target& target, const std::vector<double>& temperatures,
                      const CancelToken& cancel, const PolicyEvents& events);

/// Fails if `shares` contains `refine` but the policy cannot refine.
Status checkShares(const std::map<std::string, double>& shares, const ProgramWriter& writer);

/// Loads a policy for a search outside a run. The policy writes the same programs as in a run with default
/// parameters and this seed. This process therefore computes like that run from now on (computeRepeatably()).
Result<std::shared_ptr<const ProgramWriter>> loadSearchPolicy(const std::filesystem::path& folder,
                                                              std::uint64_t seed);

} // namespace sparserl
