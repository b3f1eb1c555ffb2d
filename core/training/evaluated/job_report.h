// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "verdict/event.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// The results of an evaluation run: one row per held-out matrix, in the order of evaluation.
struct EvaluationReport
{
    std::vector<EvaluationEvent> rows;
};

/// Reads the journal of a run of the stage evaluate.
Result<EvaluationReport> readEvaluation(const std::filesystem::path& runDirectory);

/// The table for the terminal, with a line of totals. Columns are aligned by spaces.
std::string tableText(const EvaluationReport& report);

} // namespace sparserl
