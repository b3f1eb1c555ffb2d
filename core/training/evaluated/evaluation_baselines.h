// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/evaluated/evaluation_tables.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

// Speed-ups over the baseline and over all other known references for the matrices.

namespace sparserl {

/// Returns the references (namespace `reference`) for which a row has a time, in a fixed order.
std::vector<std::string> referencesOf(std::span<const EvaluationResult> results);
/// Returns a label such as "cuSPARSE DEFAULT" or "fastest corpus program judged before"; `name` if unknown.
std::string referenceLabel(const std::string& name);
/// Returns the time of a reference divided by the time of the row's best program; 0 if either is missing. An
/// empty name means the baseline.
double speedupOver(const EvaluationEvent& row, const std::string& reference);

/// Statistics of the speed-ups for all matrices that have a best program and a time of the reference.
struct SpeedupFigures
{
    std::int64_t matrices = 0;
    double faster = 0; ///< Share of matrices whose best program is faster, from 0 to 1.
    double geomean = 0, worst = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, best = 0;
};
/// Returns nullopt if there is no such matrix. An empty name means the baseline.
std::optional<SpeedupFigures> speedupFigures(std::span<const EvaluationEvent> rows,
                                             const std::string& reference);
/// Returns a table with one line per policy and reference. The baseline comes first.
TextTable baselineTable(std::span<const EvaluationResult> results);

} // namespace sparserl
