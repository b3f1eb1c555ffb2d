// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "search/ranking.h"
#include "search/search.h"
#include "training/work/stage.h"
#include "verdict/event.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

// Writes a search to its run's journal and restores it.

/// Returns the journal event of a judged program. The event names the parents by hash; `archive` must contain
/// them.
SampleEvent sampleOf(const SearchedProgram& program, const VerdictRecord& record, const StageTarget& target,
                     const Archive& archive);

/// Reads the programs for a target (TargetId::key()) from a run's journal, in the order of their numbers.
/// Each program has its first verdict; later verdicts belong to the ranking. A damaged or missing line loses
/// only its own program. Fails if the journal cannot be read.
Result<std::vector<KeptProgram>> searchedPrograms(const std::filesystem::path& run,
                                                  const std::string& target);

/// Returns the summary event of a target after its best programs have been judged again.
EvaluationEvent evaluationOf(const Archive& archive, const Ranking& ranking, const StageTarget& target);

/// Returns the same summary in one or two sentences, with the path from the corpus to the record program.
std::string rankingText(const Archive& archive, const Ranking& ranking, const TargetId& target);

} // namespace sparserl
