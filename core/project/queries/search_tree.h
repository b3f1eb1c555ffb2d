// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// The relevant programs of a search on a target, as trees with corpus programs as roots. Times come from the
/// last verdict; for programs in the final ranking, from the ranking.
struct SearchTree
{
    struct Node
    {
        LineageRow program;
        std::ptrdiff_t parent = -1; ///< Index of the first parent, which precedes this node; negative: a
                                    ///< root.
        double gain = 0;            ///< Time of the parent / own time; 0 if either is missing.
        bool onWay = false;         ///< The record or one of its ancestors.
    };
    std::vector<Node> nodes;            ///< In the order of proposals.
    std::ptrdiff_t record = -1;         ///< Index of the record; negative: no program is correct.
    std::map<std::string, double> gain; ///< By kind of edit: product of the speed-ups of its records.
    std::vector<std::pair<double, double>>
        curve; ///< Seconds of the search, microseconds of the best program so far.
};

/// The tree of `programs`, which all belong to one search on one target (ProjectReader::searchPrograms()). It
/// contains each program that was the fastest when found, the record, the program with the hash `shown`, and
/// all their ancestors along first parents. `record`: hash of the fastest program in the final ranking; if it
/// is empty or unknown, the fastest of all. A record with several edits shares its gain evenly among them.
SearchTree searchTreeOf(std::vector<LineageRow> programs, const std::string& record,
                        const std::string& shown);

/// The same for a candidate's search; without nodes for other candidates.
Result<SearchTree> searchTree(ProjectReader& reader, const CandidateRow& shown);

} // namespace sparserl
