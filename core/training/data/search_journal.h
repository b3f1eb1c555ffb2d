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

// How a search stands in its run's journal, and how it comes back from there.

/// The sample of a judged program; its parents by their hashes, which `archive` knows.
SampleEvent sampleOf(const SearchedProgram& program, const VerdictRecord& record, const StageTarget& target,
                     const Archive& archive);

/// The programs of a target (TargetId::key()) that a run's journal has, in the order of their numbers, each
/// with its first verdict: later ones are of the ranking. A line that is damaged or missing loses its program
/// alone. Fails where the journal cannot be read.
Result<std::vector<KeptProgram>> searchedPrograms(const std::filesystem::path& run,
                                                  const std::string& target);

/// The event that sums up a target whose best were judged again.
EvaluationEvent evaluationOf(const Archive& archive, const Ranking& ranking, const StageTarget& target);

/// The same in a sentence or two for people, with the way from the corpus to the record.
std::string rankingText(const Archive& archive, const Ranking& ranking, const TargetId& target);

} // namespace sparserl
