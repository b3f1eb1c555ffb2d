// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl {

/// Restricts heads of the encoder to the edges of a tree (SparseRL A.8, as in GraphCodeBERT). A node attends
/// to itself, its parent and its children. Words of the prompt are not nodes; they attend to all positions,
/// and all positions attend to them.
struct TreeMask
{
    static constexpr std::int32_t noNode = -2;

    std::int64_t heads = 0; ///< How many heads of each layer, counted from the first, are restricted.
    /// For each sequence and position: the position of the node's parent, -1 for the root, or noNode if the
    /// position is not a node.
    std::vector<std::vector<std::int32_t>> parents;

    bool sees(std::size_t sequence, std::int64_t query, std::int64_t key) const
    {
        const auto& of = parents[sequence];
        const std::int32_t above = of[static_cast<std::size_t>(query)],
                           other = of[static_cast<std::size_t>(key)];
        return query == key || above == noNode || other == noNode || above == key || other == query;
    }
};

} // namespace sparserl
