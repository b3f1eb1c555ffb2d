// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// A node of a quad-tree: a square of the matrix that contains one non-zero (a leaf), or several non-zeros in
/// different quadrants.
struct QuadNode
{
    /// The top left element of the square; for a leaf, the position of its non-zero.
    std::int32_t row = 0, col = 0;
    std::int32_t log2Side = 0; ///< 0 for a leaf.
    std::int32_t parent = -1;  ///< Index in the tree; -1 for the root.
    bool leaf = false;
};

/// Builds the quad-tree of a set of positions, which must be distinct and non-negative. Parents come before
/// their children, and children are in the order top left, top right, bottom left, bottom right. The side of
/// a square is a power of two, and the square is aligned to it. Squares with only one non-empty quadrant are
/// left out, so n positions give at most 2 n - 1 nodes.
std::vector<QuadNode> quadTree(std::span<const std::int32_t> rows, std::span<const std::int32_t> cols);

/// A step of a traversal from which the tree can be recovered (UniXcoder's one-to-one mapping). A leaf is one
/// step; an inner node has a step before its children and one after them.
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
/// Returns the traversal of a tree, at most 3 n - 2 steps for n leaves.
std::vector<QuadStep> quadWalk(std::span<const QuadNode> tree);

} // namespace sparserl
