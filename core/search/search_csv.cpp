// SPDX-License-Identifier: Apache-2.0
#include "search/search_csv.h"

#include "base/csv.h"

#include <fmt/format.h>

namespace sparserl {

std::string searchCsvHeader()
{
    return "matrix,number,seconds,source,niche,edits,words,parents,verdict,new,microseconds,speedup,best\n";
}

std::string searchCsvLine(const std::string& matrix, const SearchedProgram& program, double best)
{
    std::string kinds, words = program.origin, parents;
    for (const EditStep& step : program.steps) {
        kinds += (kinds.empty() ? "" : " ") + step.kind;
        words += (words.empty() ? "" : "; ") + step.words;
    }
    for (const std::size_t parent : program.parents)
        parents += fmt::format("{}{}", parents.empty() ? "" : " ", parent);
    const auto number = [](double value) { return value > 0 ? fmt::format("{:.4f}", value) : std::string(); };
    return fmt::format("{},{},{:.3f},{},{},{},{},{},{},{},{},{},{}\n", csvCell(matrix), program.number,
                       program.seconds, program.source, csvQuoted(program.niche), csvCell(kinds),
                       csvQuoted(words), csvCell(parents), nameOf(program.verdict), program.fresh ? 1 : 0,
                       number(program.microseconds), number(program.speedup), number(best));
}

} // namespace sparserl
