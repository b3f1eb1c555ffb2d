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
    /// The factor in the estimate that depends on the parameter values (factorOf).
    std::function<double(const FamilyParameters&)> factor;
    std::string reason;
    int apart = 2;           ///< As in SpmvRules.
    bool wholeLines = false; ///< As in SpmvRules.
};

/// Returns candidates, best first. Orders the parameter combinations of every family's grids by their
/// estimates and removes similar combinations, so that the first few dozen are worth timing. The score is
/// lower the more the estimate exceeds the best estimate. `large` means that the matrix does not stay in L2.
std::vector<Candidate> recommendEstimated(const std::vector<EstimatedFamily>& families, bool large);

/// Returns all parameter combinations of the families' grids, in the order of their estimates.
std::vector<Candidate> laidOutEstimated(const std::vector<EstimatedFamily>& families);

} // namespace sparserl
