// SPDX-License-Identifier: Apache-2.0
// Who has read a word: every reader that no later one is ordered after, so that a writer meets them all.
#include "device/simulator/memory/races.h"

#include <algorithm>

namespace sparserl::sim {

namespace {

std::uint32_t warpOf(const RaceDetector::Access& access)
{
    return access.clock->firstWarp + static_cast<std::uint32_t>(access.warp);
}

} // namespace

/// Lane `bit` has read these bytes; `kept` are the lanes whose reads before are still known.
void RaceDetector::Halves::record(std::uint8_t bytes, std::uint32_t bit, std::uint32_t kept)
{
    const bool readsLow = bytes & 0x3, readsHigh = bytes & 0xc, wasThere = kept & bit;
    const bool onlyLow = readsLow && !readsHigh && (!wasThere || (low & bit));
    const bool onlyHigh = readsHigh && !readsLow && (!wasThere || (high & bit));
    low = (low & kept & ~bit) | (onlyLow ? bit : 0);
    high = (high & kept & ~bit) | (onlyHigh ? bit : 0);
}

/// Those of `lanes` that have read some of these bytes.
std::uint32_t RaceDetector::Halves::whoRead(std::uint8_t bytes, std::uint32_t lanes) const
{
    return !(bytes & 0xc) ? lanes & ~high : !(bytes & 0x3) ? lanes & ~low : lanes;
}

std::array<RaceDetector::Halves, 2> RaceDetector::halvesOf(const WordHistory& word) const
{
    if (!word.halvesRead)
        return {};
    const auto found = m_halves.find(&word);
    return found == m_halves.end() ? std::array<Halves, 2>{} : found->second;
}

const RaceDetector::Crowd* RaceDetector::crowdOf(const WordHistory& word) const
{
    if (!word.crowded)
        return nullptr;
    const auto found = m_crowds.find(&word);
    return found == m_crowds.end() ? nullptr : &found->second;
}

/// Lanes of readers that the access is not ordered after. Of another warp only the lowest of them is sure:
/// those above it have not been looked at.
std::uint32_t RaceDetector::unordered(const Readers& readers, const Access& access) const
{
    const WarpClock& mine = access.clock->warps[access.warp];
    const bool sameWarp = readers.warp == warpOf(access);
    const std::uint32_t local = readers.warp - access.clock->firstWarp;
    if (sameWarp ? !mine.lanes && readers.epoch < mine.fullSync
                 : local < access.clock->warps.size() &&
                       readers.epoch < access.clock->knownOf(access.warp, static_cast<int>(local)))
        return 0;
    std::uint32_t lanes = readers.lanes;
    if (!mine.anyAcquired && !mine.loaded && !(sameWarp && mine.lanes))
        return sameWarp ? lanes & ~(1u << access.lane) : lanes;
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        if (ordered(readers.warp, lane, readers.epoch, access))
            lanes &= ~(1u << lane);
        else if (!sameWarp)
            break;
    }
    return lanes;
}

std::optional<Conflict> RaceDetector::checkReaders(const WordHistory& word, const Access& access) const
{
    if (!(word.readBytes & access.bytes))
        return std::nullopt;
    const auto against = [&](const Readers& readers, const Halves& halves,
                             std::uint16_t line) -> std::optional<Conflict> {
        Readers concerned = readers;
        concerned.lanes = halves.whoRead(access.bytes, readers.lanes);
        if (!concerned.lanes ||
            allowed(word.readStrong, word.readBlockScope, word.readBytes, readers.warp, access))
            return std::nullopt;
        const std::uint32_t lanes = unordered(concerned, access);
        if (!lanes)
            return std::nullopt;
        return Conflict{.scope = word.readStrong && access.strong && word.readBytes == access.bytes,
                        .warp = readers.warp,
                        .lane = __builtin_ctz(lanes),
                        .line = line};
    };
    const std::array<Halves, 2> halves = halvesOf(word);
    for (std::size_t slot = 0; slot < word.readers.size(); ++slot) {
        if (auto conflict = against(word.readers[slot], halves[slot], word.readLine[slot]))
            return conflict;
    }
    if (const Crowd* const crowd = crowdOf(word)) {
        for (const Crowd::Member& member : crowd->members) {
            if (auto conflict = against(member.readers, member.halves, member.line))
                return conflict;
        }
    }
    return std::nullopt;
}

std::optional<Conflict> RaceDetector::touchedSince(const WordHistory& word, std::uint32_t generation,
                                                   std::uint32_t since) const
{
    if (auto conflict = writtenSince(word, generation, 0xf, since))
        return conflict;
    if (word.generation != generation || !word.readBytes)
        return std::nullopt;
    for (std::size_t slot = 0; slot < word.readers.size(); ++slot) {
        if (const Readers& readers = word.readers[slot]; readers.lanes)
            return Conflict{.copying = true,
                            .warp = readers.warp,
                            .lane = __builtin_ctz(readers.lanes),
                            .line = word.readLine[slot]};
    }
    return std::nullopt;
}

bool RaceDetector::hasRead(const WordHistory& word, const Access& access) const
{
    const auto holds = [&](const Readers& readers) {
        return readers.warp == warpOf(access) && (readers.lanes >> access.lane & 1);
    };
    if (std::any_of(word.readers.begin(), word.readers.end(), holds))
        return true;
    const Crowd* const crowd = crowdOf(word);
    return crowd && std::any_of(crowd->members.begin(), crowd->members.end(),
                                [&](const Crowd::Member& member) { return holds(member.readers); });
}

void RaceDetector::recordRead(WordHistory& word, std::uint32_t generation, const Access& access)
{
    if (word.generation != generation) {
        word = WordHistory{};
        word.generation = generation;
    }
    WarpClock& mine = access.clock->warps[access.warp];
    if (access.strong)
        mine.seen[access.lane] = {access.address, word.stamp};
    auto& [first, second] = word.readers;
    if (!first.lanes && !second.lanes && !word.crowded) {
        word.readStrong = access.strong;
        word.readBlockScope = false;
    }
    word.readStrong = word.readStrong && access.strong;
    word.readBlockScope = word.readBlockScope || access.reach == Reach::Block;
    word.readBytes |= access.bytes;
    const std::uint32_t warp = warpOf(access), bit = 1u << access.lane;
    const auto goesOn = [&](const Readers& readers) {
        return readers.lanes && readers.warp == warp && readers.epoch == mine.counter;
    };
    if (goesOn(first)) {
        if (second.warp == warp)
            second.lanes &= ~bit;
        return put(word, 0, access, bit);
    }
    if (goesOn(second)) {
        if (first.warp == warp)
            first.lanes &= ~bit;
        return put(word, 1, access, bit);
    }
    // Whom this reader is ordered after need not be remembered: who is ordered after this one is after both.
    for (int slot = 0; slot < 2; ++slot) {
        Readers& readers = word.readers[slot];
        if (readers.lanes)
            readers.lanes = unordered(readers, access);
        if (!readers.lanes)
            return put(word, slot, access, bit);
    }
    putInCrowd(word, access, bit);
}

void RaceDetector::put(WordHistory& word, int slot, const Access& access, std::uint32_t bit)
{
    Readers& readers = word.readers[slot];
    const std::uint32_t kept = readers.lanes;
    readers = {warpOf(access), access.clock->warps[access.warp].counter, kept | bit};
    word.readLine[slot] = access.line;
    if (!word.halvesRead && access.bytes == 0xf)
        return;
    constexpr std::size_t most = 1u << 18; // words: without a record, lanes count as having read both halves
    if (!word.halvesRead && m_halves.size() >= most)
        m_halves.clear();
    std::array<Halves, 2>& halves = m_halves[&word];
    if (!word.halvesRead)
        halves = {};
    word.halvesRead = true;
    halves[slot].record(access.bytes, bit, kept);
}

void RaceDetector::putInCrowd(WordHistory& word, const Access& access, std::uint32_t bit)
{
    constexpr std::size_t most = 1u << 20; // members: those of words read long ago are forgotten first
    if (m_crowdMembers >= most) {
        m_crowds.clear();
        m_crowdMembers = 0;
    }
    std::vector<Crowd::Member>& members = m_crowds[&word].members;
    if (!word.crowded) {
        m_crowdMembers -= members.size();
        members.clear(); // of what was in this place before
        word.crowded = true;
    }
    const std::uint32_t warp = warpOf(access), epoch = access.clock->warps[access.warp].counter;
    auto at = std::lower_bound(
        members.begin(), members.end(), warp,
        [](const Crowd::Member& member, std::uint32_t wanted) { return member.readers.warp < wanted; });
    // What lanes of the warp have read before, as far as this reader is not ordered after it.
    auto mine = members.end();
    auto from = at;
    for (; at != members.end() && at->readers.warp == warp; ++at) {
        if (at->readers.epoch == epoch)
            mine = at;
        else
            at->readers.lanes = unordered(at->readers, access);
    }
    if (mine == members.end()) {
        mine = std::find_if(from, at, [](const Crowd::Member& member) { return !member.readers.lanes; });
        if (mine == at) {
            mine = members.insert(at, Crowd::Member{});
            ++m_crowdMembers;
        }
        mine->readers = {warp, epoch, 0};
        mine->halves = {};
    }
    mine->halves.record(access.bytes, bit, mine->readers.lanes);
    mine->readers.lanes |= bit;
    mine->line = access.line;
}

} // namespace sparserl::sim
