// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/memory/knowledge.h"

#include <algorithm>
#include <memory>

namespace sparserl::sim {

namespace {

constexpr int bitsPerLevel = 4;
constexpr std::size_t fanout = 1u << bitsPerLevel;

} // namespace

struct Knowledge::Node
{
    std::uint32_t references = 1;
    std::uint32_t bytes = 0;                             ///< As the store counted it.
    std::uint32_t block = 0;                             ///< Leaves: whose.
    std::unique_ptr<std::array<Node*, fanout>> children; ///< Not of leaves.
    BlockKnown known;                                    ///< Leaves.
};

bool BlockKnown::knows(std::uint32_t warp, int lane, std::uint32_t epoch) const
{
    if (warp < warps.size() && epoch < warps[warp])
        return true;
    const auto found = std::lower_bound(lanes.begin(), lanes.end(), warp,
                                        [](const auto& e, std::uint32_t w) { return e.first < w; });
    return found != lanes.end() && found->first == warp && epoch < found->second[lane];
}

Knowledge::Knowledge(const Knowledge& other)
    : m_store(other.m_store)
    , m_root(other.m_root)
{
    if (m_root)
        ++m_root->references;
}

Knowledge::~Knowledge()
{
    if (m_root)
        m_store->release(m_root);
}

KnowledgeStore::KnowledgeStore(std::uint64_t blocks)
{
    while (m_levels * bitsPerLevel < 63 && blocks > std::uint64_t(1) << (bitsPerLevel * m_levels))
        ++m_levels;
}

void KnowledgeStore::release(Node* node)
{
    if (!node || --node->references)
        return;
    if (node->children) {
        for (Node* child : *node->children)
            release(child);
    }
    m_liveBytes -= node->bytes;
    delete node;
}

KnowledgeStore::Node* KnowledgeStore::made(Node* node)
{
    node->bytes = static_cast<std::uint32_t>(sizeof(Node) + (node->children ? sizeof *node->children : 0) +
                                             node->known.warps.size() * sizeof(std::uint32_t) +
                                             node->known.lanes.size() * sizeof(node->known.lanes[0]) + 32);
    m_liveBytes += node->bytes;
    return node;
}

Knowledge KnowledgeStore::of(std::uint32_t block, BlockKnown known)
{
    auto leaf = std::make_unique<Node>();
    leaf->block = block;
    leaf->known = std::move(known);
    Node* node = made(leaf.release());
    for (int level = 1; level <= m_levels; ++level) {
        auto parent = std::make_unique<Node>();
        parent->children = std::make_unique<std::array<Node*, fanout>>();
        (*parent->children)[(block >> (bitsPerLevel * (level - 1))) % fanout] = node;
        node = made(parent.release());
    }
    m_work += static_cast<std::uint64_t>(m_levels);
    return {this, node};
}

KnowledgeStore::Node* KnowledgeStore::mergeLeaves(Node* a, Node* b)
{
    auto joined = std::make_unique<Node>();
    joined->block = a->block;
    BlockKnown& known = joined->known;
    known.warps = a->known.warps;
    known.warps.resize(std::max(known.warps.size(), b->known.warps.size()), 0);
    for (std::size_t w = 0; w < b->known.warps.size(); ++w)
        known.warps[w] = std::max(known.warps[w], b->known.warps[w]);
    auto add = [&](const auto& entry) {
        auto& [warp, lanes] = entry;
        auto to = lanes;
        if (!known.lanes.empty() && known.lanes.back().first == warp) {
            for (std::size_t l = 0; l < to.size(); ++l)
                to[l] = std::max(to[l], known.lanes.back().second[l]);
            known.lanes.back().second = to;
            return;
        }
        known.lanes.emplace_back(warp, to);
    };
    auto left = a->known.lanes.begin(), right = b->known.lanes.begin();
    while (left != a->known.lanes.end() || right != b->known.lanes.end()) {
        const bool first =
            right == b->known.lanes.end() || (left != a->known.lanes.end() && left->first <= right->first);
        add(first ? *left++ : *right++);
    }
    std::erase_if(known.lanes, [&](const auto& entry) {
        const std::uint32_t all = entry.first < known.warps.size() ? known.warps[entry.first] : 0;
        return std::all_of(entry.second.begin(), entry.second.end(),
                           [&](std::uint32_t e) { return e <= all; });
    });
    m_work += 1 + known.warps.size() / 8 + known.lanes.size();
    for (Node* one : {a, b}) {
        if (known == one->known) {
            ++one->references;
            return one;
        }
    }
    return made(joined.release());
}

/// A reference to what both know.
KnowledgeStore::Node* KnowledgeStore::merge(Node* a, Node* b, int level)
{
    if (a == b || !b || !a) {
        Node* one = a ? a : b;
        if (one)
            ++one->references;
        return one;
    }
    if (level == 0)
        return mergeLeaves(a, b);
    ++m_work;
    std::array<Node*, fanout> children;
    bool isA = true, isB = true;
    for (std::size_t i = 0; i < fanout; ++i) {
        children[i] = merge((*a->children)[i], (*b->children)[i], level - 1);
        isA = isA && children[i] == (*a->children)[i];
        isB = isB && children[i] == (*b->children)[i];
    }
    if (isA || isB) {
        for (Node* child : children)
            release(child);
        Node* one = isA ? a : b;
        ++one->references;
        return one;
    }
    auto node = std::make_unique<Node>();
    node->children = std::make_unique<std::array<Node*, fanout>>(children);
    return made(node.release());
}

Knowledge KnowledgeStore::join(const Knowledge& a, const Knowledge& b)
{
    if (b.empty() || a.same(b))
        return a;
    if (a.empty())
        return b;
    return {this, merge(a.m_root, b.m_root, m_levels)};
}

bool KnowledgeStore::knows(const Knowledge& knowledge, std::uint32_t block, std::uint32_t warp, int lane,
                           std::uint32_t epoch) const
{
    const Node* node = knowledge.m_root;
    for (int level = m_levels; node && level > 0; --level)
        node = (*node->children)[(block >> (bitsPerLevel * (level - 1))) % fanout];
    return node && node->known.knows(warp, lane, epoch);
}

} // namespace sparserl::sim
