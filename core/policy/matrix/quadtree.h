// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// A square of a matrix with one non-zero (a leaf), or with several non-zeros in different quadrants.
struct QuadNode
{
    std::int32_t row = 0, col = 0; ///< First element of the square; for a leaf, its own position.
    std::int32_t log2Side = 0;     ///< 0 for a leaf.
    std::int32_t parent = -1;      ///< Index in the tree; -1 for the root.
    bool leaf = false;
};

/// The quad-tree of a set of positions. Parents precede children; quadrants are in the order top left, top
/// right, bottom left, bottom right. Squares are aligned to their side, a power of two. Squares with a single
/// non-empty quadrant are omitted, so n positions yield at most 2 n - 1 nodes. Positions are distinct and
/// non-negative.
std::vector<QuadNode> quadTree(std::span<const std::int32_t> rows, std::span<const std::int32_t> cols);

/// A step of the traversal that encodes the tree reversibly (UniXcoder's one-to-one mapping): a leaf, or an
/// inner node before and after its children.
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
/// The traversal, at most 3 n - 2 steps for n leaves.
std::vector<QuadStep> quadWalk(std::span<const QuadNode> tree);

} // namespace sparserl
