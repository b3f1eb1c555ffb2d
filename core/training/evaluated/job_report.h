// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "verdict/event.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// What an evaluation run found: one row a matrix, held-out ones only, in the order of evaluation.
struct EvaluationReport
{
    std::vector<EvaluationEvent> rows;
};

/// Reads the journal of a run of the stage evaluate.
Result<EvaluationReport> readEvaluation(const std::filesystem::path& runDirectory);

/// The table that the terminal prints, with a line of totals; columns are aligned by spaces.
std::string tableText(const EvaluationReport& report);

} // namespace sparserl
