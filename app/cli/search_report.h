// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "search/ranking.h"
#include "search/search.h"
#include "target/target_id.h"

#include <optional>
#include <string>

namespace sparserl::cli {

/// What became of one matrix.
struct SearchedMatrix
{
    std::string name;
    std::int64_t nnz = 0;
    SearchResult search;
    std::optional<Ranking> ranking; ///< Nothing: interrupted before, or no program is correct.
    std::string file;               ///< Of the record; empty: none was wanted.

    /// The record: of the ranking where there is one, else the fastest of the search; nullptr: none.
    const SearchedProgram* record() const;
};

/// Says it, as text for people or as a JSON line.
void showSearch(const Context& context, const SearchedMatrix& matrix);
/// Geometric means over the matrices that were ranked.
void showSearchSummary(const Context& context, const std::vector<SearchedMatrix>& matrices);

} // namespace sparserl::cli
