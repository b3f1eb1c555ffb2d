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

/// Returns, for each target, the `best` fastest programs that match the filter and may be in the SFT set, by
/// speed-up over the baseline. Programs that are slower than the fastest one on their target by more than the
/// factor `within` are left out. A program counts once per target.
Result<std::vector<CandidateRow>> fastestForSft(ProjectReader& reader, const CandidateFilter& filter,
                                                std::size_t best, double within,
                                                const CancelToken& cancel = {});

/// Adds programs, with their texts, to the project's SFT set for their targets. Skips programs that are
/// already in the set for their target. Returns the number of new entries.
Result<std::size_t> addToSftSet(const std::filesystem::path& project, ProjectReader& reader,
                                const std::vector<CandidateRow>& rows);

} // namespace sparserl
