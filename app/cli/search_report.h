// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "search/ranking.h"
#include "search/search.h"
#include "target/target_id.h"

#include <optional>
#include <string>

namespace sparserl::cli {

/// The result for one matrix.
struct SearchedMatrix
{
    std::string name;
    std::int64_t nnz = 0;
    SearchResult search;
    std::optional<Ranking> ranking; ///< nullopt: interrupted, or no program is correct.
    std::string file;               ///< For the record; empty: none was wanted.

    /// The record: from the ranking if there is one, otherwise the fastest of the search; nullptr: none.
    const SearchedProgram* record() const;
};

/// Prints it as text or as a JSON line.
void showSearch(const Context& context, const SearchedMatrix& matrix);
/// Geometric means over the ranked matrices.
void showSearchSummary(const Context& context, const std::vector<SearchedMatrix>& matrices);

} // namespace sparserl::cli
