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
    std::string words;       ///< The origin of a corpus program, as "S2 {...}"; for other programs, the
                             ///< descriptions of their edits.
    double microseconds = 0; ///< Time measured during the search.
    double gain = 1;         ///< Speed-up over the previous program in the lineage.
};

/// Returns the lineage of a program (Archive::lineage()), starting with the corpus program.
std::vector<LineageStep> lineageOf(const Archive& archive, const SearchedProgram& program);

} // namespace sparserl
