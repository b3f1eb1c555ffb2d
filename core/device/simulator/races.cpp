// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/races.h"

#include <algorithm>

namespace sparserl::sim {

namespace {

AcquiredPtr join(const AcquiredPtr& a, const AcquiredPtr& b)
{
    if (!a || a == b)
        return b;
    if (!b)
        return a;
    auto result = std::make_shared<Acquired>(*a);
    for (const auto& [word, length] : *b) {
        const auto found =
            std::find_if(result->begin(), result->end(), [&](const auto& e) { return e.first == word; });
        if (found == result->end())
            result->emplace_back(word, length);
        else
            found->second = std::max(found->second, length);
    }
    return result;
}

} // namespace

void BlockClock::reset(std::uint32_t blockNumber, int warpCount)
{
    block = blockNumber;
    firstWarp = blockNumber * static_cast<std::uint32_t>(warpCount);
    warps.clear();
    warps.resize(warpCount);
    known.assign(static_cast<std::size_t>(warpCount) * warpCount, 0);
}

void BlockClock::syncLanes(int warp, std::uint32_t mask, std::uint32_t live)
{
    WarpClock& clock = warps[warp];
    ++clock.counter;
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
    if (clock.anyAcquired) {
        AcquiredPtr all;
        for (int i = 0; i < 32; ++i) {
            if ((mask >> i) & 1)
                all = join(all, clock.acquired[i]);
        }
        for (int i = 0; i < 32; ++i) {
            if ((mask >> i) & 1)
                clock.acquired[i] = all;
        }
    }
}

void BlockClock::syncWarps(const std::vector<int>& participants, const std::vector<bool>& ended,
                           const std::vector<std::pair<int, std::uint32_t>>& signals)
{
    const std::size_t count = warps.size();
    bool anyAcquired = false;
    for (int w : participants) {
        WarpClock& clock = warps[w];
        ++clock.counter;
        clock.fullSync = clock.counter;
        clock.lanes.reset();
        anyAcquired = anyAcquired || clock.anyAcquired;
    }
    std::vector<std::uint32_t> row(count, 0);
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
    AcquiredPtr all;
    for (int w : participants) {
        for (const AcquiredPtr& one : warps[w].acquired)
            all = join(all, one);
    }
    for (int w : participants) {
        warps[w].acquired.fill(all);
        warps[w].anyAcquired = true;
    }
}

void BlockClock::fence(int warp, std::uint32_t mask)
{
    WarpClock& clock = warps[warp];
    ++clock.counter;
    clock.lastFence = clock.counter;
    for (int i = 0; i < 32; ++i) {
        if ((mask >> i) & 1)
            clock.fence[i] = clock.counter;
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
    return mine.anyAcquired && mine.acquired[access.lane] &&
           acquiredKnows(*mine.acquired[access.lane], warp, lane, epoch, 0);
}

bool RaceDetector::acquiredKnows(const Acquired& acquired, std::uint32_t warp, int lane, std::uint32_t epoch,
                                 int depth) const
{
    const std::uint32_t block = warp / m_warpsPerBlock;
    const int local = static_cast<int>(warp % m_warpsPerBlock);
    for (const auto& [word, length] : acquired) {
        const auto entries = word->byBlock.find(block);
        if (entries != word->byBlock.end()) {
            for (std::uint32_t position : entries->second) {
                if (position >= length)
                    break;
                const SyncWord::Release& release = word->log[position];
                if (epoch < (release.warp == local ? release.own[lane] : release.known[local]))
                    return true;
            }
        }
    }
    if (depth >= 3)
        return false;
    // What a releaser had itself acquired through other words.
    for (const auto& [word, length] : acquired) {
        const Acquired* last = nullptr;
        for (std::uint32_t position = 0; position < length; ++position) {
            const Acquired* inner = word->log[position].acquired.get();
            if (!inner || inner == last)
                continue;
            last = inner;
            Acquired other;
            for (const auto& entry : *inner) {
                if (entry.first != word)
                    other.push_back(entry);
            }
            if (!other.empty() && acquiredKnows(other, warp, lane, epoch, depth + 1))
                return true;
        }
    }
    return false;
}

std::optional<Conflict> RaceDetector::checkRead(const WordHistory& word, std::uint32_t generation,
                                                const Access& access) const
{
    if (word.generation != generation || !(word.writeBytes & access.bytes) ||
        (word.writeStrong && access.strong) ||
        ordered(word.writeWarp, word.writeLane, word.writeEpoch, access))
        return std::nullopt;
    return Conflict{true, word.writeWarp, word.writeLane, word.writeLine};
}

std::optional<Conflict> RaceDetector::checkWrite(const WordHistory& word, std::uint32_t generation,
                                                 const Access& access) const
{
    if (word.generation != generation)
        return std::nullopt;
    if (auto conflict = checkRead(word, generation, access))
        return conflict;
    if (!(word.readBytes & access.bytes) || (word.readStrong && access.strong))
        return std::nullopt;
    auto against = [&](std::uint32_t warp, std::uint32_t epoch, std::uint32_t lanes,
                       std::uint16_t line) -> std::optional<Conflict> {
        for (; lanes; lanes &= lanes - 1) {
            const int lane = __builtin_ctz(lanes);
            if (!ordered(warp, lane, epoch, access))
                return Conflict{false, warp, lane, line};
        }
        return std::nullopt;
    };
    if (auto conflict = against(word.read1Warp, word.read1Epoch, word.read1Lanes, word.read1Line))
        return conflict;
    return against(word.read2Warp, word.read2Epoch, word.read2Lanes, word.read2Line);
}

void RaceDetector::recordWrite(WordHistory& word, std::uint32_t generation, const Access& access) const
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
    word.writeLine = access.line;
}

void RaceDetector::recordRead(WordHistory& word, std::uint32_t generation, const Access& access) const
{
    if (word.generation != generation) {
        word = WordHistory{};
        word.generation = generation;
    }
    const WarpClock& mine = access.clock->warps[access.warp];
    const std::uint32_t warp = access.clock->firstWarp + static_cast<std::uint32_t>(access.warp);
    const std::uint32_t bit = 1u << access.lane;
    if (!word.read1Lanes && !word.read2Lanes)
        word.readStrong = access.strong;
    word.readStrong = word.readStrong && access.strong;
    word.readBytes |= access.bytes;
    auto put = [&](std::uint32_t& heldWarp, std::uint32_t& epoch, std::uint32_t& lanes, std::uint16_t& line) {
        lanes = lanes && heldWarp == warp && epoch == mine.counter ? lanes | bit : bit;
        heldWarp = warp;
        epoch = mine.counter;
        line = access.line;
    };
    // Two readers of different warps are enough: a writer that is ordered after only one of them is caught by
    // the other, whichever warp it belongs to.
    if (!word.read1Lanes || word.read1Warp == warp ||
        ordered(word.read1Warp, __builtin_ctz(word.read1Lanes), word.read1Epoch, access))
        put(word.read1Warp, word.read1Epoch, word.read1Lanes, word.read1Line);
    else
        put(word.read2Warp, word.read2Epoch, word.read2Lanes, word.read2Line);
}

void RaceDetector::strongAccess(std::uint64_t address, BlockClock& clock, int warp, int lane, bool reads,
                                bool writes, bool ordered)
{
    WarpClock& mine = clock.warps[warp];
    if (!m_fenced && !ordered && m_words.empty())
        return; // without any fence nothing can have been released
    if (reads) {
        const auto found = m_words.find(address);
        if (found != m_words.end() && !found->second.log.empty()) {
            const SyncWord& word = found->second;
            const auto length = static_cast<std::uint32_t>(word.log.size());
            const AcquiredPtr& held = mine.acquired[lane];
            const bool same =
                held && held->size() == 1 && held->front().first == &word && held->front().second == length;
            if (!same) {
                auto one = std::make_shared<const Acquired>(Acquired{{&word, length}});
                mine.acquired[lane] = join(held, one);
                mine.anyAcquired = true;
            }
        }
    }
    if (!writes)
        return;
    // Released is what came before the lane's own fence. Where only other threads have fenced and a barrier
    // followed, what those fences cover is released too: that is how hardware behaves and code relies on it.
    SyncWord::Release release;
    release.warp = warp;
    const bool own = mine.fence[lane] != 0 || ordered;
    if (ordered) {
        ++mine.counter;
        release.own[lane] = mine.counter;
    } else {
        release.own[lane] = mine.fence[lane];
    }
    bool any = own;
    for (int j = 0; j < 32; ++j) {
        if (j == lane)
            continue;
        const std::uint32_t known = mine.known(lane, j);
        release.own[j] = own ? known : std::min(known, mine.fence[j]);
        any = any || release.own[j] > 0;
    }
    release.known.resize(clock.warps.size());
    for (std::size_t v = 0; v < clock.warps.size(); ++v) {
        const std::uint32_t known = clock.knownOf(warp, static_cast<int>(v));
        release.known[v] = own ? known : std::min(known, clock.warps[v].lastFence);
        any = any || release.known[v] > 0;
    }
    if (!any)
        return;
    release.acquired = mine.acquired[lane];
    SyncWord& word = m_words[address];
    word.byBlock[clock.block].push_back(static_cast<std::uint32_t>(word.log.size()));
    word.log.push_back(std::move(release));
}

} // namespace sparserl::sim
