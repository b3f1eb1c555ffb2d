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
    double similarity = 0; ///< Similarity of the tokens, in [0, 1]; 1 for the program itself.
};

struct Relatives
{
    std::vector<Relative> chain; ///< The program itself, then by similarity, older ones first among equals.
    std::int64_t lookedAt = 0;   ///< Number of compared samples.
    std::int64_t candidates = 0; ///< Samples of the same family; if this exceeds the compared number, only a
                                 ///< subset was compared.
};

/// Hashes of all sequences of four tokens in a program, sorted and unique. Independent of comments and
/// layout.
std::vector<std::uint32_t> tokenShape(std::string_view text);

/// The programs of the project most similar to one: of its family (or of its matrix, if it has none), each
/// once, on its own target if they were tried there. If there are very many samples, compares those closest
/// in token count. Fails with interruption() on cancellation.
Result<Relatives> relativesOf(ProjectReader& reader, const CandidateRow& of, const CancelToken& cancel,
                              const Progress& progress);

} // namespace sparserl
