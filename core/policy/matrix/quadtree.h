// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// A square of a matrix that holds one non-zero (a leaf), or several that its quarters part.
struct QuadNode
{
    std::int32_t row = 0, col = 0; ///< Of the square's first element; a leaf's own.
    std::int32_t log2Side = 0;     ///< 0 for a leaf.
    std::int32_t parent = -1;      ///< Index in the tree; -1: the root.
    bool leaf = false;
};

/// The quad-tree of some positions, parents before children, quarters in the order top left, top right,
/// bottom left, bottom right. Squares are aligned to their side, a power of two; one with a single quarter
/// that is not empty is left out, so that n positions give at most 2 n - 1 nodes. Positions are distinct and
/// not negative.
std::vector<QuadNode> quadTree(std::span<const std::int32_t> rows, std::span<const std::int32_t> cols);

/// A step of the walk that writes the tree down and from which it can be rebuilt (UniXcoder's one-to-one
/// mapping): a leaf, or an inner node before its children and again behind them.
struct QuadStep
{
    enum class Kind
    {
        Open,
        Close,
        Leaf
    };
    Kind kind = Kind::Leaf;
    std::int32_t node = 0;
};
/// At most 3 n - 2 steps for n leaves.
std::vector<QuadStep> quadWalk(std::span<const QuadNode> tree);

} // namespace sparserl
