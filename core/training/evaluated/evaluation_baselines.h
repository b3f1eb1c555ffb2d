// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/evaluated/evaluation_tables.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

// Speed-ups over everything that is known to multiply the matrices, not over the baseline alone.

namespace sparserl {

/// The names of `reference` that some row has a time of, in a fixed order.
std::vector<std::string> referencesOf(std::span<const EvaluationResult> results);
/// "cuSPARSE DEFAULT", "fastest corpus program judged before"; the name itself where it is not known.
std::string referenceLabel(const std::string& name);
/// Time of a reference (empty name: of the baseline) over that of the best program; 0 where either is
/// missing.
double speedupOver(const EvaluationEvent& row, const std::string& reference);

/// Of the best programs of the matrices that have one and a time of the reference.
struct SpeedupFigures
{
    std::int64_t matrices = 0;
    double faster = 0; ///< Share that is faster, from 0 to 1.
    double geomean = 0, worst = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, best = 0;
};
/// Nothing where there is no such matrix. An empty name: over the baseline.
std::optional<SpeedupFigures> speedupFigures(std::span<const EvaluationEvent> rows,
                                             const std::string& reference);
/// A line for each policy and what it is compared with, the baseline first.
TextTable baselineTable(std::span<const EvaluationResult> results);

} // namespace sparserl
