// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sparserl {

/// Whether a program may be used in supervised fine-tuning: it is correct, and its matrix is not held out.
bool mayJoinSftSet(const CandidateRow& row);

/// The `best` fastest programs per target that pass the filter and may join the SFT set, by speed-up over the
/// baseline, without those slower than the target's fastest by more than the factor `within`. Each program
/// counts once per target.
Result<std::vector<CandidateRow>> fastestForSft(ProjectReader& reader, const CandidateFilter& filter,
                                                std::size_t best, double within,
                                                const CancelToken& cancel = {});

/// Adds programs with their texts to the project's SFT set for their targets. Skips existing entries. Returns
/// the number of new ones.
Result<std::size_t> addToSftSet(const std::filesystem::path& project, ProjectReader& reader,
                                const std::vector<CandidateRow>& rows);

} // namespace sparserl
