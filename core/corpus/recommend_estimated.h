// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/family.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// A family with estimates of its programs' times on one matrix and device.
struct EstimatedFamily
{
    const Family* family = nullptr;
    const std::vector<ParameterGrid>* grids = nullptr;
    std::function<double(const FamilyParameters&)> microseconds;
    /// The factor of the parameter values in the estimate.
    std::function<double(const FamilyParameters&)> factor;
    std::string reason;
    int apart = 2;           ///< As in SpmvRules.
    bool wholeLines = false; ///< As in SpmvRules.
};

/// Candidates, best first. The parameter combinations of every family's grids are ordered by the estimate.
/// Similar ones are removed, so that the first few dozen are worth timing. The score decreases as the
/// estimate relative to the best one increases. `large`: the matrix does not stay in L2.
std::vector<Candidate> recommendEstimated(const std::vector<EstimatedFamily>& families, bool large);

/// All parameter combinations of the families' grids, in the order of their estimates.
std::vector<Candidate> laidOutEstimated(const std::vector<EstimatedFamily>& families);

} // namespace sparserl
