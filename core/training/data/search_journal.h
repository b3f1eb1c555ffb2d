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

/// The sample of a judged program. Its parents are given by hash; `archive` must contain them.
SampleEvent sampleOf(const SearchedProgram& program, const VerdictRecord& record, const StageTarget& target,
                     const Archive& archive);

/// The programs of a target (TargetId::key()) in a run's journal, in the order of their numbers. Each has its
/// first verdict; later verdicts belong to the ranking. A damaged or missing line loses only its own program.
/// Fails if the journal cannot be read.
Result<std::vector<KeptProgram>> searchedPrograms(const std::filesystem::path& run,
                                                  const std::string& target);

/// The summary event of a target whose best programs were judged again.
EvaluationEvent evaluationOf(const Archive& archive, const Ranking& ranking, const StageTarget& target);

/// The same in a sentence or two for display, with the path from the corpus to the record.
std::string rankingText(const Archive& archive, const Ranking& ranking, const TargetId& target);

} // namespace sparserl
