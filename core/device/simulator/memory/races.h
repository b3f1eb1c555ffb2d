// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/knowledge.h"
#include "device/simulator/memory/memory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sparserl::sim {

// Vector clocks, stored only where they can differ. Every warp has a counter; an access has (warp, lane,
// counter). A warp-wide synchronisation increments the counter, after which all lanes know all earlier
// accesses of the warp. Only a partial synchronisation needs a 32 x 32 matrix of what each lane knows about
// the others. A block barrier joins rows of a matrix between warps. Blocks learn about each other only
// through strong accesses to a word: a release adds the releasing lane's knowledge to the word, and an
// acquire adds the knowledge in the word to that of the acquiring lane.
//
// Scopes: data released only with block scope reach only the same block, and strong accesses with block scope
// do not prevent races between blocks.

// A word remembers every reader that no later reader is ordered after, because a writer must be ordered after
// all of them. The history has space for two readers, which suffices for most words. Further readers are
// stored separately.

// Strong reads transfer values without ordering. If a thread has read a later write of another thread and
// then reads an earlier one without an ordering fence, it relies on an order that is not guaranteed (hardware
// may show the first word new and the second one old).

/// The scope of a fence or a strong access.
enum class Reach : std::uint8_t
{
    Block,
    Device
};

/// The latest writes of other threads observed through strong reads, for the last few threads.
class Observed
{
public:
    void note(std::uint64_t writer, std::uint32_t stamp)
    {
        for (Write& write : m_writes) {
            if (write.stamp && write.writer == writer) {
                write.stamp = std::max(write.stamp, stamp);
                return;
            }
        }
        m_writes[m_next++ % m_writes.size()] = {writer, stamp};
    }
    /// Whether a write of that thread after the one with `stamp` was observed.
    bool later(std::uint64_t writer, std::uint32_t stamp) const
    {
        return std::any_of(m_writes.begin(), m_writes.end(),
                           [&](const Write& write) { return write.writer == writer && write.stamp > stamp; });
    }
    void join(const Observed& other)
    {
        for (const Write& write : other.m_writes) {
            if (write.stamp)
                note(write.writer, write.stamp);
        }
    }

private:
    struct Write
    {
        std::uint64_t writer = 0;
        std::uint32_t stamp = 0; ///< 0: none.
    };
    std::array<Write, 4> m_writes{};
    std::uint32_t m_next = 0;
};

struct WarpClock
{
    std::uint32_t counter = 1;
    std::uint32_t fullSync = 1; ///< Accesses of the warp below this are known to all its lanes.
    std::unique_ptr<std::array<std::array<std::uint32_t, 32>, 32>>
        lanes; ///< [lane][of lane], if they differ.
    /// [reach]: accesses of the lane below this precede its last fence with this scope.
    std::array<std::array<std::uint32_t, 32>, 2> fence{};
    std::array<std::uint32_t, 2> lastFence{};
    std::array<Knowledge, 32> acquired;
    bool anyAcquired = false;
    /// The knowledge from unordered loads since the lane's last fence or synchronisation. It orders the
    /// lane's writes and strong reads. A weak read may have been executed before such a load, or return an
    /// old copy.
    std::unique_ptr<std::array<Knowledge, 32>> loaded;
    /// The last strong read of a lane: the word, and the stamp of its last change.
    struct Seen
    {
        std::uint64_t address = 0;
        std::uint32_t stamp = 0;
    };
    std::array<Seen, 32> seen{};
    std::unique_ptr<std::array<Observed, 32>> observed; ///< By lane, on demand.
    /// The knowledge that a lane would release, [reach][lane], cached since `version`.
    struct Released
    {
        std::uint32_t version = 0;
        Knowledge knowledge;
    };
    std::unique_ptr<std::array<std::array<Released, 32>, 2>> released;
    std::uint32_t version = 1; ///< Version of the data that a release depends on.

    std::uint32_t known(int lane, int of) const { return lanes ? (*lanes)[lane][of] : fullSync; }
    void advance()
    {
        ++counter;
        ++version;
    }
    /// Orders later weak reads of the lanes in `mask` after their loads.
    void settle(KnowledgeStore& store, std::uint32_t mask);
};

/// Clocks of the warps of one block.
struct BlockClock
{
    std::uint32_t block = 0;
    std::uint32_t firstWarp = 0; ///< Global number of warp 0.
    bool checked = true; ///< The block's own accesses are recorded. False if no other block needs them.
    std::vector<WarpClock> warps;
    std::vector<std::uint32_t> known; ///< [warp][of warp]: accesses below this are known.
    std::vector<std::uint32_t> row;   ///< For syncWarps, kept to reuse its memory.

    void reset(std::uint32_t blockNumber, int warpCount);
    std::uint32_t knownOf(int warp, int of) const { return known[warp * warps.size() + of]; }
    /// A synchronisation of the lanes in `mask`; `live` are the lanes that have not exited.
    void syncLanes(KnowledgeStore& store, int warp, std::uint32_t mask, std::uint32_t live);
    /// A barrier of these warps; ended warps count as arrived.
    void syncWarps(KnowledgeStore& store, const std::vector<int>& participants,
                   const std::vector<bool>& ended,
                   const std::vector<std::pair<int, std::uint32_t>>& signals = {});
    /// bar.arrive: returns the counter below which other warps know this warp's accesses after the barrier.
    std::uint32_t arrive(int warp)
    {
        warps[warp].advance();
        return warps[warp].counter;
    }
    void fence(KnowledgeStore& store, int warp, std::uint32_t mask, Reach reach);
};

/// An earlier access that conflicts with the current one.
struct Conflict
{
    bool priorWrite = false;
    bool lost = false;     ///< Both are strong, but the overwriting thread never saw the earlier write.
    bool readOnly = false; ///< A read through the read-only path of data written during the launch.
    bool scope = false;    ///< Both are strong, but one has only block scope.
    bool copying = false;  ///< The read belongs to a pending asynchronous copy.
    /// Both are strong, but the reader has already observed a later write of the same thread.
    bool unordered = false;
    std::uint32_t warp = 0; ///< Global number.
    int lane = 0;
    std::uint16_t line = 0;
};

class RaceDetector
{
public:
    RaceDetector(int warpsPerBlock, std::uint64_t blocks, bool blockScope)
        : m_store(blocks)
        , m_warpsPerBlock(static_cast<std::uint32_t>(warpsPerBlock))
        , m_blockScope(blockScope)
    {
    }
    struct Access
    {
        BlockClock* clock = nullptr;
        int warp = 0;
        int lane = 0;
        std::uint8_t bytes = 0xf; ///< The accessed bytes of the word.
        bool strong = false;      ///< Atomic, volatile, relaxed or ordered.
        Reach reach = Reach::Device;
        bool nonCoherent = false; ///< A read through the read-only path.
        bool overwrites = false;  ///< A strong store that changes the value.
        bool polled = false;      ///< A strong load of global memory, not part of an atomic.
        bool weakRead = false;    ///< May be executed before preceding strong loads.
        std::uint64_t address = 0;
        std::uint16_t line = 0;
    };
    /// Whether a write (or a read) conflicts with the history, which is not changed.
    std::optional<Conflict> checkWrite(const WordHistory& word, std::uint32_t generation,
                                       const Access& access) const;
    std::optional<Conflict> checkRead(const WordHistory& word, std::uint32_t generation,
                                      const Access& access) const;
    /// Whether these bytes of a word were written after the write with stamp `since`.
    static std::optional<Conflict> writtenSince(const WordHistory& word, std::uint32_t generation,
                                                std::uint8_t bytes, std::uint32_t since);
    /// An access to a word after the write with stamp `since`, which wrote all of it.
    std::optional<Conflict> touchedSince(const WordHistory& word, std::uint32_t generation,
                                         std::uint32_t since) const;
    /// Stamp of the latest write in the launch.
    std::uint32_t stamp() const { return m_stamp; }
    /// Records the writer of a word observed through a strong read of global memory.
    void observe(const WordHistory& word, std::uint32_t generation, const Access& access) const;
    /// Call before recording the words of one store, which share a stamp.
    void nextWrite() { ++m_stamp; }
    void recordWrite(WordHistory& word, std::uint32_t generation, const Access& access);
    void recordRead(WordHistory& word, std::uint32_t generation, const Access& access);

    /// A strong access that reads, writes, or both; `ordered`: with built-in release and acquire; `shared`:
    /// to shared memory.
    void strongAccess(const Access& access, bool reads, bool writes, bool ordered, bool shared);
    void noteFence() { m_fenced = true; }
    KnowledgeStore& store() { return m_store; }
    /// Memory used by released knowledge.
    std::size_t bytes() const { return m_store.liveBytes() + 96 * (m_words.size() + m_blockWords.size()); }

private:
    using Words = std::unordered_map<std::uint64_t, Knowledge>;
    /// Lanes of readers that have read only one half of a word.
    struct Halves
    {
        std::uint32_t low = 0, high = 0;

        void record(std::uint8_t bytes, std::uint32_t bit, std::uint32_t kept);
        std::uint32_t whoRead(std::uint8_t bytes, std::uint32_t lanes) const;
    };
    /// Readers beyond the capacity of a word's history, in order of their warps.
    struct Crowd
    {
        struct Member
        {
            Readers readers;
            Halves halves;
            std::uint16_t line = 0;
        };
        std::vector<Member> members;
    };

    // readers (readers.cpp)
    std::optional<Conflict> checkReaders(const WordHistory& word, const Access& access) const;
    std::uint32_t unordered(const Readers& readers, const Access& access) const;
    /// Whether the history contains a read of the word by this lane since the last write.
    bool hasRead(const WordHistory& word, const Access& access) const;
    void put(WordHistory& word, int slot, const Access& access, std::uint32_t bit);
    void putInCrowd(WordHistory& word, const Access& access, std::uint32_t bit);
    const Crowd* crowdOf(const WordHistory& word) const;
    std::array<Halves, 2> halvesOf(const WordHistory& word) const;

    bool ordered(std::uint32_t warp, int lane, std::uint32_t epoch, const Access& access) const;
    bool allowed(bool strong, bool blockScope, std::uint8_t bytes, std::uint32_t warp,
                 const Access& access) const;
    std::uint64_t blockWord(const Access& access) const;
    void acquire(const Words& words, std::uint64_t key, WarpClock& mine, int lane, bool settled);
    const Knowledge& releasedBy(BlockClock& clock, int warp, int lane, Reach reach, bool ordered);

    KnowledgeStore m_store; // must outlive the following members
    std::uint32_t m_warpsPerBlock = 1;
    bool m_blockScope = false; ///< The kernel has fences or strong accesses with block scope.
    bool m_fenced = false;
    std::uint32_t m_stamp = 0;
    std::unordered_map<const WordHistory*, std::array<Halves, 2>> m_halves; ///< For words with `halvesRead`.
    std::unordered_map<const WordHistory*, Crowd> m_crowds;                 ///< For words with `crowded`.
    std::size_t m_crowdMembers = 0;                                         ///< Over all crowds.
    Words m_words;                                                          ///< By address.
    Words m_blockWords; ///< By address and block, if `m_blockScope`.
};

} // namespace sparserl::sim
