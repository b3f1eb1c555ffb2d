// SPDX-License-Identifier: Apache-2.0
#include "search/lineage.h"

#include <fmt/format.h>

namespace sparserl {

std::vector<LineageStep> lineageOf(const Archive& archive, const SearchedProgram& program)
{
    std::vector<LineageStep> out;
    for (const SearchedProgram* one : archive.lineage(program)) {
        LineageStep step{one->number, one->origin, one->microseconds, 1};
        for (const EditStep& edit : one->steps)
            step.words += fmt::format("{}{}", step.words.empty() ? "" : "; ", edit.words);
        if (!out.empty() && one->microseconds > 0)
            step.gain = out.back().microseconds / one->microseconds;
        out.push_back(std::move(step));
    }
    return out;
}

} // namespace sparserl
