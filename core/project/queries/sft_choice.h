// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sparserl {

/// Whether supervised fine-tuning may train on it: it is correct, and its matrix is not held out.
bool mayJoinSftSet(const CandidateRow& row);

/// The `best` fastest programs of each target that pass the filter and may join the SFT set, by their
/// speed-up over the baseline; none that is slower than the target's fastest by more than the factor
/// `within`. Each program counts once for a target.
Result<std::vector<CandidateRow>> fastestForSft(ProjectReader& reader, const CandidateFilter& filter,
                                                std::size_t best, double within,
                                                const CancelToken& cancel = {});

/// Puts them into the project's SFT set for their targets, with their texts; those that are in it already are
/// left alone. Gives how many came new.
Result<std::size_t> addToSftSet(const std::filesystem::path& project, ProjectReader& reader,
                                const std::vector<CandidateRow>& rows);

} // namespace sparserl
