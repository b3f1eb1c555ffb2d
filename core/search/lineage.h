// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/archive.h"

#include <string>
#include <vector>

namespace sparserl {

/// One program in the lineage of a record.
struct LineageStep
{
    std::size_t number = 0;
    std::string words;       ///< "S2 {...}", then the edits.
    double microseconds = 0; ///< As measured in the search.
    double gain = 1;         ///< Speed-up over the previous program.
};

/// The lineage of a program, the corpus program first.
std::vector<LineageStep> lineageOf(const Archive& archive, const SearchedProgram& program);

} // namespace sparserl
