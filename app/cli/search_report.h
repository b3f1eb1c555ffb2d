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
    std::string file;               ///< Path of the record's program file; empty: none was requested.

    /// The record: the best program of the ranking if there is one, otherwise the fastest program of the
    /// search; nullptr: none.
    const SearchedProgram* record() const;
};

/// Prints the result for a matrix as text or as a JSON line.
void showSearch(const Context& context, const SearchedMatrix& matrix);
/// Prints geometric means over the ranked matrices.
void showSearchSummary(const Context& context, const std::vector<SearchedMatrix>& matrices);

} // namespace sparserl::cli
