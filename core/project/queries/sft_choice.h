// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sparserl {

/// Returns whether a program may be used in supervised fine-tuning. It must be correct, and its matrix must
/// not be held out.
bool mayJoinSftSet(const CandidateRow& row);

/// Returns the fastest programs on each target, at most `best` per target, that match the filter and may be
/// in the SFT set. Compares their speed-ups over the baseline. Leaves out programs that are slower than the
/// fastest one on their target by more than the factor `within`. A program counts once per target.
Result<std::vector<CandidateRow>> fastestForSft(ProjectReader& reader, const CandidateFilter& filter,
                                                std::size_t best, double within,
                                                const CancelToken& cancel = {});

/// Adds programs, with their texts, to the project's SFT set for their targets. Skips programs that are
/// already in the set for their target. Returns the number of new entries.
Result<std::size_t> addToSftSet(const std::filesystem::path& project, ProjectReader& reader,
                                const std::vector<CandidateRow>& rows);

} // namespace sparserl
