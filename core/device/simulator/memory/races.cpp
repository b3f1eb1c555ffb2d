// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/memory/races.h"

#include <algorithm>

namespace sparserl::sim {

namespace {

std::uint64_t writerOf(const WordHistory& word)
{
    return std::uint64_t(word.writeWarp) << 5 | word.writeLane;
}

/// Lanes that have met have all seen what one of them has.
void shareObserved(WarpClock& clock, std::uint32_t mask, const Observed& all)
{
    if (!clock.observed)
        clock.observed = std::make_unique<std::array<Observed, 32>>();
    for (; mask; mask &= mask - 1)
        (*clock.observed)[__builtin_ctz(mask)] = all;
}

} // namespace

void WarpClock::settle(KnowledgeStore& store, std::uint32_t mask)
{
    if (!loaded)
        return;
    for (; mask; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        if ((*loaded)[lane].empty())
            continue;
        acquired[lane] = store.join(acquired[lane], (*loaded)[lane]);
        (*loaded)[lane] = {};
        anyAcquired = true;
        ++version;
    }
}

void BlockClock::reset(std::uint32_t blockNumber, int warpCount)
{
    block = blockNumber;
    firstWarp = blockNumber * static_cast<std::uint32_t>(warpCount);
    warps.clear();
    warps.resize(warpCount);
    known.assign(static_cast<std::size_t>(warpCount) * warpCount, 0);
}

void BlockClock::syncLanes(KnowledgeStore& store, int warp, std::uint32_t mask, std::uint32_t live)
{
    WarpClock& clock = warps[warp];
    clock.advance();
    clock.settle(store, mask);
    if ((mask & live) == live) {
        clock.fullSync = clock.counter;
        clock.lanes.reset();
    } else {
        if (!clock.lanes) {
            clock.lanes = std::make_unique<std::array<std::array<std::uint32_t, 32>, 32>>();
            for (auto& row : *clock.lanes)
                row.fill(clock.fullSync);
        }
        std::array<std::uint32_t, 32> joined{};
        for (int i = 0; i < 32; ++i) {
            if (!((mask >> i) & 1))
                continue;
            for (int j = 0; j < 32; ++j)
                joined[j] = std::max(joined[j], (*clock.lanes)[i][j]);
        }
        for (int j = 0; j < 32; ++j) {
            if ((mask >> j) & 1)
                joined[j] = clock.counter;
        }
        for (int i = 0; i < 32; ++i) {
            if ((mask >> i) & 1)
                (*clock.lanes)[i] = joined;
        }
    }
    if (clock.observed) {
        Observed all;
        for (std::uint32_t rest = mask; rest; rest &= rest - 1)
            all.join((*clock.observed)[__builtin_ctz(rest)]);
        shareObserved(clock, mask, all);
    }
    if (clock.anyAcquired) {
        Knowledge all;
        for (int i = 0; i < 32; ++i) {
            if ((mask >> i) & 1)
                all = store.join(all, clock.acquired[i]);
        }
        for (int i = 0; i < 32; ++i) {
            if ((mask >> i) & 1)
                clock.acquired[i] = all;
        }
    }
}

void BlockClock::syncWarps(KnowledgeStore& store, const std::vector<int>& participants,
                           const std::vector<bool>& ended,
                           const std::vector<std::pair<int, std::uint32_t>>& signals)
{
    const std::size_t count = warps.size();
    bool anyAcquired = false, anyObserved = false;
    for (int w : participants) {
        WarpClock& clock = warps[w];
        clock.advance();
        clock.settle(store, ~0u);
        clock.fullSync = clock.counter;
        clock.lanes.reset();
        anyAcquired = anyAcquired || clock.anyAcquired;
        anyObserved = anyObserved || clock.observed;
    }
    if (anyObserved) {
        Observed all;
        for (int w : participants) {
            if (warps[w].observed) {
                for (const Observed& one : *warps[w].observed)
                    all.join(one);
            }
        }
        for (int w : participants)
            shareObserved(warps[w], ~0u, all);
    }
    row.assign(count, 0);
    for (int w : participants) {
        for (std::size_t v = 0; v < count; ++v)
            row[v] = std::max(row[v], known[w * count + v]);
    }
    for (int w : participants)
        row[w] = warps[w].counter;
    for (const auto& [v, upTo] : signals)
        row[v] = std::max(row[v], upTo);
    for (std::size_t v = 0; v < count; ++v) {
        if (ended[v])
            row[v] = warps[v].counter + 1;
    }
    for (int w : participants)
        std::copy(row.begin(), row.end(), known.begin() + w * count);
    if (!anyAcquired)
        return;
    Knowledge all;
    for (int w : participants) {
        for (const Knowledge& one : warps[w].acquired)
            all = store.join(all, one);
    }
    for (int w : participants) {
        warps[w].acquired.fill(all);
        warps[w].anyAcquired = true;
    }
}

void BlockClock::fence(KnowledgeStore& store, int warp, std::uint32_t mask, Reach reach)
{
    WarpClock& clock = warps[warp];
    clock.advance();
    clock.settle(store, mask);
    for (int level = 0; level <= static_cast<int>(reach); ++level) {
        clock.lastFence[level] = clock.counter;
        for (int i = 0; i < 32; ++i) {
            if ((mask >> i) & 1)
                clock.fence[level][i] = clock.counter;
        }
    }
}

bool RaceDetector::ordered(std::uint32_t warp, int lane, std::uint32_t epoch, const Access& access) const
{
    const BlockClock& clock = *access.clock;
    const WarpClock& mine = clock.warps[access.warp];
    const std::uint32_t local = warp - clock.firstWarp;
    if (local < clock.warps.size()) {
        if (local == static_cast<std::uint32_t>(access.warp)) {
            if (lane == access.lane || epoch < mine.known(access.lane, lane))
                return true;
        } else if (epoch < clock.knownOf(access.warp, static_cast<int>(local))) {
            return true;
        }
    }
    const auto knows = [&](const Knowledge& knowledge) {
        return m_store.knows(knowledge, warp / m_warpsPerBlock, warp % m_warpsPerBlock, lane, epoch);
    };
    return (mine.anyAcquired && knows(mine.acquired[access.lane])) ||
           (mine.loaded && !access.weakRead && knows((*mine.loaded)[access.lane]));
}

/// PTX: strong accesses that reach each other and cover the same bytes ("morally strong") do not race.
bool RaceDetector::allowed(bool strong, bool blockScope, std::uint8_t bytes, std::uint32_t warp,
                           const Access& access) const
{
    if (!strong || !access.strong || (bytes == 0xf) != (access.bytes == 0xf))
        return false;
    return (!blockScope && access.reach == Reach::Device) || warp / m_warpsPerBlock == access.clock->block;
}

void RaceDetector::observe(const WordHistory& word, std::uint32_t generation, const Access& access) const
{
    const std::uint32_t warp = access.clock->firstWarp + static_cast<std::uint32_t>(access.warp);
    if (word.generation != generation || !word.writeBytes || word.writeWarp == warp)
        return;
    auto& observed = access.clock->warps[access.warp].observed;
    if (!observed)
        observed = std::make_unique<std::array<Observed, 32>>();
    (*observed)[access.lane].note(writerOf(word), word.stamp);
}

std::optional<Conflict> RaceDetector::checkRead(const WordHistory& word, std::uint32_t generation,
                                                const Access& access) const
{
    if (word.generation != generation || !(word.writeBytes & access.bytes))
        return std::nullopt;
    Conflict conflict;
    conflict.priorWrite = true;
    conflict.warp = word.writeWarp;
    conflict.lane = word.writeLane;
    conflict.line = word.writeLine;
    // PTX: memory read by ld.global.nc is read-only for the whole launch, whatever is in between.
    conflict.readOnly = access.nonCoherent;
    if (access.nonCoherent)
        return conflict;
    if (allowed(word.writeStrong, word.writeBlockScope, word.writeBytes, word.writeWarp, access)) {
        if (!access.polled)
            return std::nullopt;
        const auto& observed = access.clock->warps[access.warp].observed;
        if (!observed || !(*observed)[access.lane].later(writerOf(word), word.stamp) ||
            ordered(word.writeWarp, word.writeLane, word.writeEpoch, access) || hasRead(word, access))
            return std::nullopt;
        conflict.unordered = true;
        return conflict;
    }
    if (ordered(word.writeWarp, word.writeLane, word.writeEpoch, access))
        return std::nullopt;
    conflict.scope = word.writeStrong && access.strong && word.writeBytes == access.bytes;
    return conflict;
}

std::optional<Conflict> RaceDetector::checkWrite(const WordHistory& word, std::uint32_t generation,
                                                 const Access& access) const
{
    if (word.generation != generation)
        return std::nullopt;
    if (auto conflict = checkRead(word, generation, access))
        return conflict;
    if (access.overwrites && (word.writeBytes & access.bytes)) {
        // Strong stores may follow each other where who stores knows what it overwrites: it was ordered
        // behind the other write, or has read what that left (a flag that is handed over). Otherwise whose
        // value stays is a matter of chance, as in a read, an addition and a write by two threads.
        const WarpClock::Seen& seen = access.clock->warps[access.warp].seen[access.lane];
        if (!(seen.address == access.address && seen.stamp == word.stamp) &&
            !ordered(word.writeWarp, word.writeLane, word.writeEpoch, access))
            return Conflict{.priorWrite = true,
                            .lost = true,
                            .warp = word.writeWarp,
                            .lane = word.writeLane,
                            .line = word.writeLine};
    }
    return checkReaders(word, access);
}

std::optional<Conflict> RaceDetector::writtenSince(const WordHistory& word, std::uint32_t generation,
                                                   std::uint8_t bytes, std::uint32_t since)
{
    if (word.generation != generation || !(word.writeBytes & bytes) || word.stamp <= since)
        return std::nullopt;
    return Conflict{.priorWrite = true,
                    .copying = true,
                    .warp = word.writeWarp,
                    .lane = word.writeLane,
                    .line = word.writeLine};
}

void RaceDetector::recordWrite(WordHistory& word, std::uint32_t generation, const Access& access)
{
    const WarpClock& mine = access.clock->warps[access.warp];
    const std::uint32_t warp = access.clock->firstWarp + static_cast<std::uint32_t>(access.warp);
    const bool together = word.generation == generation && word.writeBytes && word.writeWarp == warp &&
                          word.writeEpoch == mine.counter && word.writeLane == access.lane;
    const std::uint8_t before = together ? word.writeBytes : 0;
    word = WordHistory{};
    word.generation = generation;
    word.writeWarp = warp;
    word.writeEpoch = mine.counter;
    word.writeLane = static_cast<std::uint8_t>(access.lane);
    word.writeBytes = access.bytes | before;
    word.writeStrong = access.strong;
    word.writeBlockScope = access.strong && access.reach == Reach::Block;
    word.writeLine = access.line;
    word.stamp = m_stamp;
}

std::uint64_t RaceDetector::blockWord(const Access& access) const
{
    // Words of shared memory are not asked for.
    return access.address * 0x9e3779b97f4a7c15u ^
           (std::uint64_t(access.clock->block) + 1) * 0xd6e8feb86659fd93u;
}

void RaceDetector::acquire(const Words& words, std::uint64_t key, WarpClock& mine, int lane, bool settled)
{
    const auto found = words.find(key);
    if (found == words.end() || found->second.same(mine.acquired[lane]))
        return;
    if (!settled && !mine.loaded)
        mine.loaded = std::make_unique<std::array<Knowledge, 32>>();
    Knowledge& to = settled ? mine.acquired[lane] : (*mine.loaded)[lane];
    Knowledge joined = m_store.join(to, found->second);
    if (joined.same(to))
        return;
    to = std::move(joined);
    if (!settled)
        return;
    mine.anyAcquired = true;
    ++mine.version;
}

/// Released is what came before the lane's own fence. Where only other threads have fenced and a barrier
/// followed, what those fences cover is released too: that is how hardware behaves and code relies on it.
const Knowledge& RaceDetector::releasedBy(BlockClock& clock, int warp, int lane, Reach reach, bool ordered)
{
    WarpClock& mine = clock.warps[warp];
    if (ordered)
        mine.advance();
    const auto level = static_cast<std::size_t>(reach);
    if (!mine.released)
        mine.released = std::make_unique<std::array<std::array<WarpClock::Released, 32>, 2>>();
    WarpClock::Released& cached = (*mine.released)[level][lane];
    if (cached.version == mine.version)
        return cached.knowledge;
    if (!clock.checked && !mine.anyAcquired) {
        cached.version = mine.version;
        cached.knowledge = {};
        return cached.knowledge;
    }
    const auto& fence = mine.fence[level];
    const bool own = fence[lane] != 0 || ordered;
    BlockKnown known;
    bool any = own;
    known.warps.resize(clock.warps.size());
    for (std::size_t v = 0; v < clock.warps.size(); ++v) {
        if (static_cast<int>(v) == warp)
            continue;
        const std::uint32_t all = clock.knownOf(warp, static_cast<int>(v));
        known.warps[v] = own ? all : std::min(all, clock.warps[v].lastFence[level]);
        any = any || known.warps[v] > 0;
    }
    std::array<std::uint32_t, 32> lanes{};
    for (int j = 0; j < 32; ++j) {
        if (j == lane) {
            lanes[j] = ordered ? mine.counter : fence[lane];
            continue;
        }
        lanes[j] = own ? mine.known(lane, j) : std::min(mine.known(lane, j), fence[j]);
        any = any || lanes[j] > 0;
    }
    cached.version = mine.version;
    cached.knowledge = {};
    if (any && !clock.checked) {
        cached.knowledge = mine.acquired[lane];
    } else if (any) {
        known.lanes.emplace_back(static_cast<std::uint32_t>(warp), lanes);
        cached.knowledge = m_store.join(mine.acquired[lane], m_store.of(clock.block, std::move(known)));
    }
    return cached.knowledge;
}

void RaceDetector::strongAccess(const Access& access, bool reads, bool writes, bool ordered, bool shared)
{
    if (!m_fenced && !ordered && m_words.empty() && m_blockWords.empty())
        return; // without any fence nothing can have been released
    BlockClock& clock = *access.clock;
    WarpClock& mine = clock.warps[access.warp];
    // Shared memory is one block's: its words hold what fences of any scope release.
    const bool device = shared || access.reach == Reach::Device;
    const bool block = m_blockScope && !shared;
    if (ordered)
        mine.settle(m_store, 1u << access.lane);
    if (reads) {
        // Atomics settle too, as those who let the last block finish count on.
        const bool settled = ordered || writes || shared;
        if (device)
            acquire(m_words, access.address, mine, access.lane, settled);
        if (block)
            acquire(m_blockWords, blockWord(access), mine, access.lane, settled);
    }
    if (!writes)
        return;
    auto release = [&](Words& words, std::uint64_t key, Reach reach) {
        const Knowledge& released = releasedBy(clock, access.warp, access.lane, reach, ordered);
        if (released.empty())
            return;
        Knowledge& word = words[key];
        word = m_store.join(word, released);
    };
    if (device)
        release(m_words, access.address, shared ? Reach::Block : Reach::Device);
    if (block)
        release(m_blockWords, blockWord(access), Reach::Block);
}

} // namespace sparserl::sim
