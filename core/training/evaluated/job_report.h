// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "verdict/event.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// The results of an evaluation run: one row per held-out matrix, in the order of the evaluation.
struct EvaluationReport
{
    std::vector<EvaluationEvent> rows;
};

/// Reads the results from the journal of an evaluation run.
Result<EvaluationReport> readEvaluation(const std::filesystem::path& runDirectory);

/// Returns a table for the terminal, with a line of totals. Spaces align the columns.
std::string tableText(const EvaluationReport& report);

} // namespace sparserl
