// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sparserl {

/// A program similar to another one.
struct Relative
{
    CandidateRow row;
    double similarity = 0; ///< Similarity of the tokens in [0, 1]. The program itself has 1.
};

struct Relatives
{
    std::vector<Relative> chain; ///< The program itself, then its relatives by descending similarity. Of
                                 ///< equally similar programs, the older one comes first.
    std::int64_t lookedAt = 0;   ///< Number of samples that were compared.
    std::int64_t candidates = 0; ///< Number of samples that qualify. If it is larger than `lookedAt`, only
                                 ///< some of them were compared.
};

/// Returns the hashes of all sequences of four tokens in a program, sorted and without duplicates. Comments
/// and layout have no effect.
std::vector<std::uint32_t> tokenShape(std::string_view text);

/// Finds the programs in the project that are most similar to the program `of`, among programs of its family,
/// or of its matrix if it has no family. Lists each program once, with its sample on the target of `of` if
/// there is one. If there are very many samples, compares only those whose number of tokens is closest. Fails
/// with interruption() if it is cancelled.
Result<Relatives> relativesOf(ProjectReader& reader, const CandidateRow& of, const CancelToken& cancel,
                              const Progress& progress);

} // namespace sparserl
