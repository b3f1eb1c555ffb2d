// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sparserl {

/// A program that resembles another.
struct Relative
{
    CandidateRow row;
    double similarity = 0; ///< Of their tokens, in [0, 1]; 1 is the program itself.
};

struct Relatives
{
    std::vector<Relative> chain; ///< The program itself, then by similarity; of equal ones the older first.
    std::int64_t lookedAt = 0;   ///< Samples whose text was compared.
    std::int64_t candidates = 0; ///< Samples of the same family; more than that where they are very many.
};

/// Hashes of every four tokens that follow one another in a program, sorted, each once: comments and layout
/// say nothing.
std::vector<std::uint32_t> tokenShape(std::string_view text);

/// The programs of the project that resemble one most: of its family (of its matrix, where it has none),
/// each once, on its own target where they were tried on it. Of very many samples those are compared whose
/// length in tokens is nearest. Fails with interruption() once `cancel` is cancelled.
Result<Relatives> relativesOf(ProjectReader& reader, const CandidateRow& of, const CancelToken& cancel,
                              const Progress& progress);

} // namespace sparserl
