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

// Race detection uses vector clocks, which are stored only where they can differ. Every warp has a counter.
// An access is identified by its warp, its lane and the value of the counter. A warp-wide synchronisation
// increments the counter; afterwards all lanes know all earlier accesses of the warp. Only a partial
// synchronisation needs a 32 x 32 matrix of what each lane knows about the others. A block barrier joins rows
// of a matrix between warps. Blocks learn about each other only through strong accesses to a word: a release
// adds the releasing lane's knowledge to the word, and an acquire adds the word's knowledge to the acquiring
// lane.
//
// Scopes: data that are released only with block scope reach only the same block. A strong access with only
// block scope does not prevent races between blocks.

// A word remembers a reader until a later reader is ordered after it, because a writer must be ordered after
// all readers. The history has space for two readers, which suffices for most words. Further readers are
// stored separately.

// A strong read transfers a value but does not order accesses. If a thread has read a later write of another
// thread and then reads an earlier one without an ordering fence, it relies on an order that is not
// guaranteed: hardware may show the new value of the first word and the old value of the second.

/// The scope of a fence or a strong access.
enum class Reach : std::uint8_t
{
    Block,
    Device
};

/// The latest writes of other threads that were observed through strong reads, for the last few of these
/// threads.
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
    /// Returns true if a write of that thread after the write with `stamp` was observed.
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
        std::uint32_t stamp = 0; ///< 0 means no write.
    };
    std::array<Write, 4> m_writes{};
    std::uint32_t m_next = 0;
};

struct WarpClock
{
    std::uint32_t counter = 1;
    std::uint32_t fullSync = 1; ///< All lanes know the accesses of the warp below this counter.
    std::unique_ptr<std::array<std::array<std::uint32_t, 32>, 32>>
        lanes; ///< [lane][of lane]: what a lane knows of another lane. Set only if lanes differ.
    /// [reach]: the lane's accesses below this counter precede its last fence with this scope.
    std::array<std::array<std::uint32_t, 32>, 2> fence{};
    std::array<std::uint32_t, 2> lastFence{};
    std::array<Knowledge, 32> acquired;
    bool anyAcquired = false;
    /// What each lane knows from unordered loads since its last fence or synchronisation. This knowledge
    /// orders the lane's writes and strong reads, but not its weak reads: a weak read may have been executed
    /// before such a load, or return an old copy.
    std::unique_ptr<std::array<Knowledge, 32>> loaded;
    /// The last strong read of a lane: the word, and the stamp of the word's last change.
    struct Seen
    {
        std::uint64_t address = 0;
        std::uint32_t stamp = 0;
    };
    std::array<Seen, 32> seen{};
    std::unique_ptr<std::array<Observed, 32>> observed; ///< By lane; allocated when needed.
    /// The knowledge that a lane would release, by [reach][lane]. Valid if its version is the current
    /// `version`.
    struct Released
    {
        std::uint32_t version = 0;
        Knowledge knowledge;
    };
    std::unique_ptr<std::array<std::array<Released, 32>, 2>> released;
    std::uint32_t version = 1; ///< Increases when data change on which a release depends.

    std::uint32_t known(int lane, int of) const { return lanes ? (*lanes)[lane][of] : fullSync; }
    void advance()
    {
        ++counter;
        ++version;
    }
    /// Orders later weak reads of the lanes in `mask` after the loads that these lanes have made.
    void settle(KnowledgeStore& store, std::uint32_t mask);
};

/// Clocks of the warps of one block.
struct BlockClock
{
    std::uint32_t block = 0;
    std::uint32_t firstWarp = 0; ///< Global number of warp 0.
    bool checked =
        true; ///< Whether the block's own accesses are recorded; false if no other block needs them.
    std::vector<WarpClock> warps;
    std::vector<std::uint32_t>
        known; ///< [warp][of warp]: a warp knows the accesses of another warp below this counter.
    std::vector<std::uint32_t> row; ///< Used by syncWarps. It is a member so that its memory is reused.

    void reset(std::uint32_t blockNumber, int warpCount);
    std::uint32_t knownOf(int warp, int of) const { return known[warp * warps.size() + of]; }
    /// Synchronises the lanes in `mask`. `live` are the lanes that have not exited.
    void syncLanes(KnowledgeStore& store, int warp, std::uint32_t mask, std::uint32_t live);
    /// Lets these warps meet at a barrier. Warps that have ended count as arrived.
    void syncWarps(KnowledgeStore& store, const std::vector<int>& participants,
                   const std::vector<bool>& ended,
                   const std::vector<std::pair<int, std::uint32_t>>& signals = {});
    /// Handles bar.arrive. Returns the counter below which other warps know this warp's accesses after the
    /// barrier.
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
    bool lost =
        false; ///< Both are strong, but the thread that overwrites the word never saw the earlier write.
    bool readOnly = false; ///< The read uses the read-only path, but the data were written during the launch.
    bool scope = false;    ///< Both are strong, but one of them has only block scope.
    bool copying = false;  ///< The read belongs to a pending asynchronous copy.
    /// Both are strong, but the reader has already observed a later write of the thread that wrote the word.
    bool unordered = false;
    std::uint32_t warp = 0; ///< Number of the warp in the grid.
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
        std::uint8_t bytes = 0xf; ///< The bytes of the word that are accessed.
        bool strong = false;      ///< The access is atomic, volatile, relaxed or ordered.
        Reach reach = Reach::Device;
        bool nonCoherent = false; ///< The read uses the read-only path.
        bool overwrites = false;  ///< The access is a strong store that changes the value.
        bool polled = false; ///< The access is a strong load of global memory that is not part of an atomic.
        bool weakRead = false; ///< The read may be executed before strong loads that precede it.
        std::uint64_t address = 0;
        std::uint16_t line = 0;
    };
    /// Returns the conflict of a write (or a read) with the history, if any. Does not change the history.
    std::optional<Conflict> checkWrite(const WordHistory& word, std::uint32_t generation,
                                       const Access& access) const;
    std::optional<Conflict> checkRead(const WordHistory& word, std::uint32_t generation,
                                      const Access& access) const;
    /// Returns a conflict if these bytes of a word were written after the write with stamp `since`.
    static std::optional<Conflict> writtenSince(const WordHistory& word, std::uint32_t generation,
                                                std::uint8_t bytes, std::uint32_t since);
    /// Returns a conflict if a word was accessed after the write with stamp `since`, which wrote the whole
    /// word.
    std::optional<Conflict> touchedSince(const WordHistory& word, std::uint32_t generation,
                                         std::uint32_t since) const;
    /// Returns the stamp of the latest write in the launch.
    std::uint32_t stamp() const { return m_stamp; }
    /// Notes the writer of a word that was observed through a strong read of global memory.
    void observe(const WordHistory& word, std::uint32_t generation, const Access& access) const;
    /// Starts a new stamp for the words of one store. Call it before these words are recorded.
    void nextWrite() { ++m_stamp; }
    void recordWrite(WordHistory& word, std::uint32_t generation, const Access& access);
    void recordRead(WordHistory& word, std::uint32_t generation, const Access& access);

    /// Handles a strong access that reads, writes, or both. `ordered`: the access itself acquires and
    /// releases. `shared`: it accesses shared memory.
    void strongAccess(const Access& access, bool reads, bool writes, bool ordered, bool shared);
    void noteFence() { m_fenced = true; }
    KnowledgeStore& store() { return m_store; }
    /// Returns the memory that released knowledge uses.
    std::size_t bytes() const { return m_store.liveBytes() + 96 * (m_words.size() + m_blockWords.size()); }

private:
    using Words = std::unordered_map<std::uint64_t, Knowledge>;
    /// The lanes of a group of readers that have read only the low or only the high half of a word.
    struct Halves
    {
        std::uint32_t low = 0, high = 0;

        void record(std::uint8_t bytes, std::uint32_t bit, std::uint32_t kept);
        std::uint32_t whoRead(std::uint8_t bytes, std::uint32_t lanes) const;
    };
    /// The readers for which a word's history has no space, in order of their warps.
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
    /// Returns true if this lane has read the word since the last write, according to the history.
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
    std::size_t m_crowdMembers = 0; ///< Number of members of all crowds.
    Words m_words;                  ///< By address.
    Words m_blockWords;             ///< By address and block, if `m_blockScope`.
};

} // namespace sparserl::sim
