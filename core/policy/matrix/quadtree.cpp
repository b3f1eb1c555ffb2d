// SPDX-License-Identifier: Apache-2.0
#include "policy/matrix/quadtree.h"

#include <algorithm>
#include <bit>

namespace sparserl {

namespace {

/// Bits of row and column interleaved, the row's above the column's: ascending keys are the order of a walk.
std::uint64_t keyOf(std::int32_t row, std::int32_t col)
{
    const auto spread = [](std::uint64_t v) {
        v = (v | v << 16) & 0x0000ffff0000ffffu;
        v = (v | v << 8) & 0x00ff00ff00ff00ffu;
        v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fu;
        v = (v | v << 2) & 0x3333333333333333u;
        return (v | v << 1) & 0x5555555555555555u;
    };
    return spread(static_cast<std::uint32_t>(row)) << 1 | spread(static_cast<std::uint32_t>(col));
}

struct Place
{
    std::uint64_t key;
    std::int32_t row, col;
};

/// `places` have ascending keys and are at least one.
void grow(std::span<const Place> places, std::int32_t parent, std::vector<QuadNode>& tree)
{
    const Place& first = places.front();
    const auto self = static_cast<std::int32_t>(tree.size());
    if (places.size() == 1) {
        tree.push_back({first.row, first.col, 0, parent, true});
        return;
    }
    // The smallest square of all of them ends above the highest bit in which they differ.
    const int level = (std::bit_width(first.key ^ places.back().key) - 1) / 2;
    const std::int32_t mask = level + 1 < 31 ? ~((std::int32_t(1) << (level + 1)) - 1) : 0;
    tree.push_back({first.row & mask, first.col & mask, level + 1, parent, false});
    for (std::size_t from = 0; from < places.size();) {
        const std::uint64_t quarter = places[from].key >> (2 * level);
        std::size_t to = from;
        while (to < places.size() && places[to].key >> (2 * level) == quarter)
            ++to;
        grow(places.subspan(from, to - from), self, tree);
        from = to;
    }
}

} // namespace

std::vector<QuadNode> quadTree(std::span<const std::int32_t> rows, std::span<const std::int32_t> cols)
{
    std::vector<Place> places;
    for (std::size_t i = 0; i < rows.size(); ++i)
        places.push_back({keyOf(rows[i], cols[i]), rows[i], cols[i]});
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.key < b.key; });
    std::vector<QuadNode> tree;
    if (!places.empty())
        grow(places, -1, tree);
    return tree;
}

std::vector<QuadStep> quadWalk(std::span<const QuadNode> tree)
{
    std::vector<QuadStep> steps;
    std::vector<std::int32_t> open;
    const auto closeDownTo = [&](std::int32_t parent) {
        while (!open.empty() && open.back() != parent) {
            steps.push_back({QuadStep::Kind::Close, open.back()});
            open.pop_back();
        }
    };
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto node = static_cast<std::int32_t>(i);
        closeDownTo(tree[i].parent);
        steps.push_back({tree[i].leaf ? QuadStep::Kind::Leaf : QuadStep::Kind::Open, node});
        if (!tree[i].leaf)
            open.push_back(node);
    }
    closeDownTo(-1);
    return steps;
}

} // namespace sparserl
