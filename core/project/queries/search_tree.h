// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// The important programs of a search on a target, as trees whose roots are corpus programs. The time of a
/// program is from the final ranking if the program was in it, otherwise from its last verdict.
struct SearchTree
{
    struct Node
    {
        LineageRow program;
        /// Index of the first parent, which comes before this node; negative for a root.
        std::ptrdiff_t parent = -1;
        double gain = 0;    ///< The parent's time divided by the program's time; 0 if either is missing.
        bool onWay = false; ///< This is the record or one of its ancestors.
    };
    std::vector<Node> nodes;    ///< The programs in the order of proposals.
    std::ptrdiff_t record = -1; ///< Index of the record; negative if no program is correct.
    /// For each kind of edit, the product of the speed-ups of the records to which it contributed.
    std::map<std::string, double> gain;
    /// Pairs of the time since the start of the search, in seconds, and the time of the best program until
    /// then, in microseconds.
    std::vector<std::pair<double, double>> curve;
};

/// Builds the tree of `programs`, which all belong to one search on one target
/// (ProjectReader::searchPrograms()). The tree contains each program that was the fastest when it was found,
/// the record, the program with the hash `shown`, and all their ancestors along first parents. `record` is
/// the hash of the fastest program in the final ranking; if it is empty or unknown, the record is the fastest
/// of all programs. The gain of a record with several edits is divided evenly among them.
SearchTree searchTreeOf(std::vector<LineageRow> programs, const std::string& record,
                        const std::string& shown);

/// Builds the tree of the search that `shown` comes from. The tree is empty if `shown` does not come from a
/// search.
Result<SearchTree> searchTree(ProjectReader& reader, const CandidateRow& shown);

} // namespace sparserl
