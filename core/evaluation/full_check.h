// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/simulation.h"
#include "evaluation/target_stage.h"

namespace sparserl {

/// Non-zeros times columns (in fours) of a matrix: what simulating a program on it takes.
std::int64_t simulationWork(const Csr& matrix, std::int64_t columns);

/// Rows of a matrix with at most `entries` non-zeros: the first, the last, the longest (cut where they take
/// more than half of all), and runs of neighbours drawn by `rng`. Columns keep their order, and of those that
/// no row uses every other run is left out.
Csr sampledRows(const Csr& matrix, std::int64_t entries, Rng& rng);

/// Adds the matrix of a task with every check of the simulator, or rows of it where it takes more than
/// `mostWork`: exact and random values that depend on `seed`.
Status addFullCheck(CasePlan& cases, const Simulation& simulation, const TargetTask& task, std::uint64_t seed,
                    std::int64_t mostWork);

} // namespace sparserl
