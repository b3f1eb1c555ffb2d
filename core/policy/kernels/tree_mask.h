// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl {

/// Heads of the encoder that see a tree's edges only (SparseRL A.8, as GraphCodeBERT): a node sees itself,
/// its parent and its children. Words of a prompt are no nodes: they see all, and all see them.
struct TreeMask
{
    static constexpr std::int32_t noNode = -2;

    std::int64_t heads = 0; ///< The first so many of each layer's.
    /// By sequence and position: the parent's position, -1 for the root, or noNode.
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
