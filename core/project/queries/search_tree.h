// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// The programs of a search on a target that matter for its record, as trees whose roots are corpus
/// programs. Times are those of the last verdict: of the final ranking where a program was in it.
struct SearchTree
{
    struct Node
    {
        LineageRow program;
        std::ptrdiff_t parent = -1; ///< Index of the first parent, which comes before; negative: a root.
        double gain = 0;            ///< Time of the parent / own time; 0 where either has none.
        bool onWay = false;         ///< On the way from the corpus to the record, or the record itself.
    };
    std::vector<Node> nodes;            ///< In the order of proposals.
    std::ptrdiff_t record = -1;         ///< Index of the record; negative: no program is correct.
    std::map<std::string, double> gain; ///< By kind of edit: product of how much its records were faster.
    std::vector<std::pair<double, double>>
        curve; ///< Seconds of the search, microseconds of the best by then.
};

/// The tree of `programs`, all of one search on one target (ProjectReader::searchPrograms()). It holds those
/// that were the fastest when they came, the record, the program with the hash `shown`, and the ancestors of
/// all of them by first parents. `record`: hash of the program that the final ranking found to be the
/// fastest; the fastest of all where it is empty or unknown. A record of several edits shares its gain evenly
/// among them.
SearchTree searchTreeOf(std::vector<LineageRow> programs, const std::string& record,
                        const std::string& shown);

/// The same for the search that a candidate is of; without nodes for any other candidate.
Result<SearchTree> searchTree(ProjectReader& reader, const CandidateRow& shown);

} // namespace sparserl
