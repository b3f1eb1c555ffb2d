// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sparserl::sim {

/// The known accesses of one block's warps: those below an epoch.
struct BlockKnown
{
    std::vector<std::uint32_t> warps; ///< Epochs that apply to all lanes of each warp.
    /// Warps whose lanes are known up to different epochs, ascending; `warps` also applies.
    std::vector<std::pair<std::uint32_t, std::array<std::uint32_t, 32>>> lanes;

    bool knows(std::uint32_t warp, int lane, std::uint32_t epoch) const;
    bool operator==(const BlockKnown&) const = default;
};

class KnowledgeStore;

/// Known accesses in any block: an immutable tree over block numbers, which shares subtrees with its
/// predecessors. Belongs to a KnowledgeStore, which must outlive it.
class Knowledge
{
public:
    Knowledge() = default;
    Knowledge(const Knowledge& other);
    Knowledge(Knowledge&& other) noexcept
        : m_store(other.m_store)
        , m_root(std::exchange(other.m_root, nullptr))
    {
    }
    Knowledge& operator=(Knowledge other) noexcept
    {
        std::swap(m_store, other.m_store);
        std::swap(m_root, other.m_root);
        return *this;
    }
    ~Knowledge();
    bool empty() const { return !m_root; }
    /// Whether both are the same tree, not merely equal.
    bool same(const Knowledge& other) const { return m_root == other.m_root; }

private:
    friend class KnowledgeStore;
    struct Node;
    Knowledge(KnowledgeStore* store, Node* root)
        : m_store(store)
        , m_root(root)
    {
    }
    KnowledgeStore* m_store = nullptr;
    Node* m_root = nullptr;
};

/// Creates and joins knowledge, and counts the effort. Joining touches only differences, but a hostile
/// program can create many.
class KnowledgeStore
{
public:
    /// For block numbers below `blocks`.
    explicit KnowledgeStore(std::uint64_t blocks);
    KnowledgeStore(const KnowledgeStore&) = delete;
    KnowledgeStore& operator=(const KnowledgeStore&) = delete;

    Knowledge of(std::uint32_t block, BlockKnown known);
    /// The union of both; one of the arguments itself if it contains the other.
    Knowledge join(const Knowledge& a, const Knowledge& b);
    bool knows(const Knowledge& knowledge, std::uint32_t block, std::uint32_t warp, int lane,
               std::uint32_t epoch) const;
    /// Nodes created or compared so far.
    std::uint64_t work() const { return m_work; }
    std::size_t liveBytes() const { return m_liveBytes; }

private:
    friend class Knowledge;
    using Node = Knowledge::Node;
    Node* merge(Node* a, Node* b, int level);
    Node* mergeLeaves(Node* a, Node* b);
    Node* made(Node* node);
    void release(Node* node);

    int m_levels = 1; ///< Above the leaves.
    std::uint64_t m_work = 0;
    std::size_t m_liveBytes = 0;
};

} // namespace sparserl::sim
