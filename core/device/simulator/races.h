// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace sparserl::sim {

// Vector clocks, kept where they can differ. Every warp has a counter; an access carries (warp, lane,
// counter). A warp-wide synchronisation raises the counter, after which all its lanes know all earlier
// accesses of the warp; only one over part of a warp needs a 32 x 32 matrix of what each lane knows of the
// others. A block barrier joins rows of a matrix between warps. Blocks know of each other only through
// atomics on a word: a release appends what the releasing lane knows to the word's log, an acquire remembers
// how long the log was.

struct SyncWord;

/// How much of the logs of sync words a lane has acquired.
using Acquired = std::vector<std::pair<const SyncWord*, std::uint32_t>>;
using AcquiredPtr = std::shared_ptr<const Acquired>;

struct WarpClock
{
    std::uint32_t counter = 1;
    std::uint32_t fullSync = 1; ///< Accesses of the warp below this are known to all its lanes.
    std::unique_ptr<std::array<std::array<std::uint32_t, 32>, 32>>
        lanes;                             ///< [lane][of lane], where they differ.
    std::array<std::uint32_t, 32> fence{}; ///< Accesses of the lane below this came before its last fence.
    std::uint32_t lastFence = 0;
    std::array<AcquiredPtr, 32> acquired;
    bool anyAcquired = false;

    std::uint32_t known(int lane, int of) const { return lanes ? (*lanes)[lane][of] : fullSync; }
};

/// Clocks of the warps of one block.
struct BlockClock
{
    std::uint32_t block = 0;
    std::uint32_t firstWarp = 0; ///< Global number of warp 0.
    std::vector<WarpClock> warps;
    std::vector<std::uint32_t> known; ///< [warp][of warp]: accesses below this are known.

    void reset(std::uint32_t blockNumber, int warpCount);
    std::uint32_t knownOf(int warp, int of) const { return known[warp * warps.size() + of]; }
    /// A synchronisation of the lanes of `mask`; `live` are the lanes that have not exited.
    void syncLanes(int warp, std::uint32_t mask, std::uint32_t live);
    /// A barrier of these warps; warps that have ended count as arrived.
    void syncWarps(const std::vector<int>& participants, const std::vector<bool>& ended,
                   const std::vector<std::pair<int, std::uint32_t>>& signals = {});
    /// bar.arrive: what others know of the warp once they pass the barrier.
    std::uint32_t arrive(int warp) { return ++warps[warp].counter; }
    void fence(int warp, std::uint32_t mask);
};

struct SyncWord
{
    struct Release
    {
        int warp = 0; ///< In its block.
        std::array<std::uint32_t, 32> own{};
        std::vector<std::uint32_t> known;
        AcquiredPtr acquired;
    };
    std::vector<Release> log;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>
        byBlock; ///< Positions in the log, ascending.
};

/// A conflicting access found.
struct Conflict
{
    bool priorWrite = false;
    std::uint32_t warp = 0; ///< Global number.
    int lane = 0;
    std::uint16_t line = 0;
};

class RaceDetector
{
public:
    void startLaunch(int warpsPerBlock)
    {
        m_warpsPerBlock = static_cast<std::uint32_t>(warpsPerBlock);
        m_words.clear();
        m_fenced = false;
    }
    struct Access
    {
        BlockClock* clock = nullptr;
        int warp = 0;
        int lane = 0;
        std::uint8_t bytes = 0xf; ///< Of the word.
        bool strong = false;      ///< Atomic or volatile.
        std::uint16_t line = 0;
    };
    /// Whether a write (or a read) conflicts with what the history says. Does not change it.
    std::optional<Conflict> checkWrite(const WordHistory& word, std::uint32_t generation,
                                       const Access& access) const;
    std::optional<Conflict> checkRead(const WordHistory& word, std::uint32_t generation,
                                      const Access& access) const;
    void recordWrite(WordHistory& word, std::uint32_t generation, const Access& access) const;
    void recordRead(WordHistory& word, std::uint32_t generation, const Access& access) const;

    /// A strong access to `address` that reads, writes, or both; `ordered`: with release and acquire built
    /// in.
    void strongAccess(std::uint64_t address, BlockClock& clock, int warp, int lane, bool reads, bool writes,
                      bool ordered);
    void noteFence() { m_fenced = true; }

private:
    bool ordered(std::uint32_t warp, int lane, std::uint32_t epoch, const Access& access) const;
    bool acquiredKnows(const Acquired& acquired, std::uint32_t warp, int lane, std::uint32_t epoch,
                       int depth) const;

    std::uint32_t m_warpsPerBlock = 1;
    bool m_fenced = false;
    std::unordered_map<std::uint64_t, SyncWord> m_words;
};

} // namespace sparserl::sim
