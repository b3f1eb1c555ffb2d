// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/family.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// A family whose programs have estimates of their time on one matrix and device.
struct EstimatedFamily
{
    const Family* family = nullptr;
    const std::vector<ParameterGrid>* grids = nullptr;
    std::function<double(const FamilyParameters&)> microseconds;
    std::function<double(const FamilyParameters&)> factor; ///< Of parameter values, in the estimate.
    std::string reason;
    int apart = 2;           ///< As in SpmvRules.
    bool wholeLines = false; ///< As in SpmvRules.
};

/// Candidates, best first: parameters of every family are laid out over its grids, the estimate orders them,
/// and what is alike is thinned out so that the first few dozen are worth timing. The score is a falling
/// function of the estimate relative to the best. `large`: the matrix does not stay in L2.
std::vector<Candidate> recommendEstimated(const std::vector<EstimatedFamily>& families, bool large);

/// All of the families' grids in the order of their estimates.
std::vector<Candidate> laidOutEstimated(const std::vector<EstimatedFamily>& families);

} // namespace sparserl
