// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl {

/// Restricts encoder heads to the edges of a tree (SparseRL A.8, as GraphCodeBERT): a node attends to itself,
/// its parent and its children. Prompt words are not nodes: they attend to everything, and everything attends
/// to them.
struct TreeMask
{
    static constexpr std::int32_t noNode = -2;

    std::int64_t heads = 0; ///< Number of restricted heads per layer, the first ones.
    /// Per sequence and position: the parent's position, -1 for the root, or noNode.
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
