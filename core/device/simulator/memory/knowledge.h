// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sparserl::sim {

/// What a thread knows of one block's accesses: those that are ordered before its own. The time of an access
/// is the value of its warp's counter (races.h). An access is known if this is below the epoch that applies.
struct BlockKnown
{
    std::vector<std::uint32_t> warps; ///< One epoch per warp, which applies to all lanes of the warp.
    /// Warps whose lanes have different epochs, in ascending order, each with one epoch per lane. An access
    /// is known if it is below the epoch here or in `warps`.
    std::vector<std::pair<std::uint32_t, std::array<std::uint32_t, 32>>> lanes;

    bool knows(std::uint32_t warp, int lane, std::uint32_t epoch) const;
    bool operator==(const BlockKnown&) const = default;
};

class KnowledgeStore;

/// The known accesses in all blocks: an immutable tree over block numbers. A tree shares subtrees with the
/// trees that it was made from. It belongs to a KnowledgeStore, which must outlive it.
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
    /// Returns true if both are the same tree, not only equal trees.
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

/// Creates and joins knowledge, and counts the work of this. A join touches only what differs, but a hostile
/// program can create many differences.
class KnowledgeStore
{
public:
    /// Block numbers must be below `blocks`.
    explicit KnowledgeStore(std::uint64_t blocks);
    KnowledgeStore(const KnowledgeStore&) = delete;
    KnowledgeStore& operator=(const KnowledgeStore&) = delete;

    Knowledge of(std::uint32_t block, BlockKnown known);
    /// Returns the union of both. If one argument contains the other, returns that argument itself.
    Knowledge join(const Knowledge& a, const Knowledge& b);
    bool knows(const Knowledge& knowledge, std::uint32_t block, std::uint32_t warp, int lane,
               std::uint32_t epoch) const;
    /// Returns the number of nodes that were created or compared so far.
    std::uint64_t work() const { return m_work; }
    std::size_t liveBytes() const { return m_liveBytes; }

private:
    friend class Knowledge;
    using Node = Knowledge::Node;
    Node* merge(Node* a, Node* b, int level);
    Node* mergeLeaves(Node* a, Node* b);
    Node* made(Node* node);
    void release(Node* node);

    int m_levels = 1; ///< Number of levels above the leaves.
    std::uint64_t m_work = 0;
    std::size_t m_liveBytes = 0;
};

} // namespace sparserl::sim
