// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/evaluated/evaluation_tables.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

// Speed-ups over all known references for the matrices, in addition to the baseline.

namespace sparserl {

/// The names in `reference` for which some row has a time, in a fixed order.
std::vector<std::string> referencesOf(std::span<const EvaluationResult> results);
/// "cuSPARSE DEFAULT", "fastest corpus program judged before"; the name itself if it is unknown.
std::string referenceLabel(const std::string& name);
/// Time of a reference (empty name: the baseline) divided by that of the best program; 0 if either is
/// missing.
double speedupOver(const EvaluationEvent& row, const std::string& reference);

/// Statistics over matrices that have a best program and a time of the reference.
struct SpeedupFigures
{
    std::int64_t matrices = 0;
    double faster = 0; ///< Share of faster programs, from 0 to 1.
    double geomean = 0, worst = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, best = 0;
};
/// nullopt if there is no such matrix. An empty name means the baseline.
std::optional<SpeedupFigures> speedupFigures(std::span<const EvaluationEvent> rows,
                                             const std::string& reference);
/// One line per policy and reference, the baseline first.
TextTable baselineTable(std::span<const EvaluationResult> results);

} // namespace sparserl
