// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/archive.h"

#include <string>
#include <vector>

namespace sparserl {

/// One program on the way from the corpus to a record.
struct LineageStep
{
    std::size_t number = 0;
    std::string words;       ///< "S2 {...}", then what was edited.
    double microseconds = 0; ///< As the search measured it.
    double gain = 1;         ///< Over the one before.
};

/// The way from the corpus to a program, the corpus first.
std::vector<LineageStep> lineageOf(const Archive& archive, const SearchedProgram& program);

} // namespace sparserl
