// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/interpreter.h"
#include "device/simulator/interpreter_targets.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace sparserl::sim {

namespace {

using ptx::AtomOp;
using ptx::Type;

/// A loaded value as its register holds it: sign or zero extended.
std::uint64_t extended(std::uint64_t bits, int width, bool sign)
{
    if (sign && width < 8 && (bits >> (8 * width - 1)) & 1)
        bits |= ~std::uint64_t(0) << (8 * width);
    return bits;
}

template <class V>
std::uint64_t combine(AtomOp op, V old, V value, V other)
{
    V result = value;
    switch (op) {
    case AtomOp::Add:
        result = static_cast<V>(old + value);
        break;
    case AtomOp::Exch:
        break;
    case AtomOp::Cas:
        result = old == value ? other : old;
        break;
    case AtomOp::Min:
        result = std::min(old, value);
        break;
    case AtomOp::Max:
        result = std::max(old, value);
        break;
    case AtomOp::Inc:
        result = old >= value ? V(0) : static_cast<V>(old + 1);
        break;
    case AtomOp::Dec:
        result = old == V(0) || old > value ? value : static_cast<V>(old - 1);
        break;
    default:
        break;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &result, sizeof result);
    return bits;
}

template <class V>
V as(std::uint64_t bits)
{
    V value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

std::uint64_t atomicResult(AtomOp op, Type type, std::uint64_t old, std::uint64_t value, std::uint64_t other)
{
    switch (op) {
    case AtomOp::And:
        return old & value;
    case AtomOp::Or:
        return old | value;
    case AtomOp::Xor:
        return old ^ value;
    default:
        break;
    }
    switch (type) {
    case Type::F32:
        return combine(op, as<float>(old), as<float>(value), as<float>(other));
    case Type::F64:
        return combine(op, as<double>(old), as<double>(value), as<double>(other));
    case Type::S32:
        if (op == AtomOp::Add)
            return combine(op, as<std::uint32_t>(old), as<std::uint32_t>(value), as<std::uint32_t>(other));
        return combine(op, as<std::int32_t>(old), as<std::int32_t>(value), as<std::int32_t>(other));
    case Type::S64:
        if (op == AtomOp::Add)
            return combine(op, old, value, other);
        return combine(op, as<std::int64_t>(old), as<std::int64_t>(value), as<std::int64_t>(other));
    case Type::B16:
        return combine(op, as<std::uint16_t>(old), as<std::uint16_t>(value), as<std::uint16_t>(other));
    case Type::U32:
    case Type::B32:
        return combine(op, as<std::uint32_t>(old), as<std::uint32_t>(value), as<std::uint32_t>(other));
    default:
        return combine(op, old, value, other);
    }
}

} // namespace

template <int Level>
bool Interpreter::load(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    Chain latency;
    const bool sign = ptx::isSigned(insn.type);
    const bool strong = insn.order != ptx::Order::Weak;
    const bool good = forTargets(
        block, warp, insn, mask,
        [&](const Target& target, std::uint32_t group, const std::uint32_t* offsets) {
            // Local memory is watched in every run: what another block left there is no result.
            if ((Level == 2 || target.space == Space::Local) && target.written->active() &&
                !checkWritten(block, warp, insn, target, group, offsets))
                return false;
            if constexpr (Level == 2) {
                if (target.history && !target.history->empty() &&
                    !checkRaces(block, warp, insn, target, group, offsets, false, strong, nullptr))
                    return false;
            }
            for (int e = 0; e < insn.vector; ++e) {
                if (insn.values[e] == noSlot)
                    continue;
                const std::byte* host = target.host + std::size_t(e) * insn.width;
                if (insn.width == 4 && !insn.valueWide[e]) {
                    std::uint32_t* d = words(warp.registers, insn.values[e]);
                    if (target.dense && insn.vector == 1)
                        std::memcpy(d, host + offsets[0], 128);
                    else
                        m_address.gather32(host, offsets, group, d);
                    continue;
                }
                for (std::uint32_t rest = group; rest; rest &= rest - 1) {
                    const int l = __builtin_ctz(rest);
                    const std::uint64_t bits =
                        extended(readBytes(host + offsets[l], insn.width), insn.width, sign);
                    if (insn.valueWide[e])
                        doubles(warp.registers, insn.values[e])[l] = bits;
                    else
                        words(warp.registers, insn.values[e])[l] =
                            insn.width < 4 && !sign ? static_cast<std::uint32_t>(bits & 0xffff)
                                                    : static_cast<std::uint32_t>(bits);
                }
            }
            if (strong) {
                // Between a strong load and a store that it leads to, others come first, nearly always.
                if (Level == 2 && m_code.strongStores && target.space != Space::Local && (random() & 7))
                    m_preempt = true;
                const int l = __builtin_ctz(group);
                noteRead(warp,
                         offsets[l] * 0x9e3779b97f4a7c15u ^ readBytes(target.host + offsets[l], insn.width));
            }
            if constexpr (Level >= 1) {
                if (target.region)
                    accountGlobal<Level>(block, insn, target, group, offsets, false, false, latency);
                else if (target.space == Space::Shared)
                    accountShared(block, insn, group, offsets, latency);
                else
                    latency.join(oneStep(Step::Load));
            }
            return true;
        });
    if (!good)
        return false;
    schedule<Level>(warp, insn, latency);
    return true;
}

template <int Level>
bool Interpreter::store(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    const bool strong = insn.order != ptx::Order::Weak;
    const bool good = forTargets(
        block, warp, insn, mask,
        [&](const Target& target, std::uint32_t group, const std::uint32_t* offsets) {
            std::uint64_t values[4][lanesPerWarp];
            for (int e = 0; e < insn.vector; ++e) {
                for (int l = 0; l < lanesPerWarp; ++l)
                    values[e][l] = insn.values[e] == noSlot ? 0
                                   : insn.valueWide[e]      ? doubles(warp.registers, insn.values[e])[l]
                                                            : words(warp.registers, insn.values[e])[l];
            }
            if constexpr (Level == 2) {
                if (target.history && !target.history->empty() &&
                    !checkRaces(block, warp, insn, target, group, offsets, true, strong, values[0]))
                    return false;
            }
            if ((Level == 2 || target.space == Space::Local) && target.written->active()) {
                for (std::uint32_t rest = group; rest; rest &= rest - 1)
                    target.written->set(offsets[__builtin_ctz(rest)],
                                        std::uint32_t(insn.width) * insn.vector);
            }
            m_changes += target.space == Space::Local ? 0 : 1;
            for (std::uint32_t rest = group; rest; rest &= rest - 1) {
                const int l = __builtin_ctz(rest);
                for (int e = 0; e < insn.vector; ++e)
                    std::memcpy(target.host + offsets[l] + std::size_t(e) * insn.width, &values[e][l],
                                insn.width);
            }
            if constexpr (Level >= 1) {
                Chain ignored;
                if (target.region)
                    accountGlobal<Level>(block, insn, target, group, offsets, true, false, ignored);
                else if (target.space == Space::Shared)
                    accountShared(block, insn, group, offsets, ignored);
            }
            return true;
        });
    if (!good)
        return false;
    schedule<Level>(warp, insn, Chain());
    return true;
}

template <int Level>
bool Interpreter::atomic(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    Chain latency;
    const bool good = forTargets(
        block, warp, insn, mask,
        [&](const Target& target, std::uint32_t group, const std::uint32_t* offsets) {
            if (target.space == Space::Local)
                return fault(block, warp, insn, __builtin_ctz(group), FaultKind::OutOfBounds,
                             "an atomic on local memory");
            if constexpr (Level == 2) {
                if (target.written->active() && !checkWritten(block, warp, insn, target, group, offsets))
                    return false;
                if (!target.history->empty() &&
                    !checkRaces(block, warp, insn, target, group, offsets, true, true, nullptr))
                    return false;
            }
            auto value = [&](int which, int l) -> std::uint64_t {
                if (insn.values[which] == noSlot)
                    return 0;
                return insn.valueWide[which] ? doubles(warp.registers, insn.values[which])[l]
                                             : words(warp.registers, insn.values[which])[l];
            };
            std::uint32_t changed = 0;
            for (std::uint32_t rest = group; rest; rest &= rest - 1) {
                const int l = __builtin_ctz(rest);
                std::byte* at = target.host + offsets[l];
                const std::uint64_t old = readBytes(at, insn.width);
                const std::uint64_t updated =
                    atomicResult(insn.atom, insn.type, old, value(0, l), value(1, l));
                changed |= (std::memcmp(at, &updated, insn.width) ? 1u : 0u) << l;
                std::memcpy(at, &updated, insn.width);
                if (insn.args.d != noSlot) {
                    if (insn.width == 8)
                        doubles(warp.registers, insn.args.d)[l] = old;
                    else
                        words(warp.registers, insn.args.d)[l] = static_cast<std::uint32_t>(old);
                }
            }
            m_changes += changed ? 1 : 0;
            if constexpr (Level == 2) {
                // An atomic that leaves a word as it is (a lock that is taken) only reads it.
                if (!target.history->empty()) {
                    recordAccess(block, warp, insn, target, group & ~changed, offsets, false, true);
                    recordAccess(block, warp, insn, target, changed, offsets, true, true);
                }
            }
            if (insn.atom == AtomOp::Cas || insn.atom == AtomOp::Exch || insn.atom == AtomOp::Add) {
                const int l = __builtin_ctz(group);
                noteRead(warp,
                         offsets[l] * 0x9e3779b97f4a7c15u ^ readBytes(target.host + offsets[l], insn.width));
            }
            if constexpr (Level >= 1) {
                m_lines[insn.lineIndex].atomics += bitCount(group);
                if (target.region) {
                    Chain ignored;
                    accountGlobal<Level>(block, insn, target, group, offsets, true, true, ignored);
                    latency.join(oneStep(Step::Atomic));
                } else {
                    accountShared(block, insn, group, offsets, latency);
                    // Shared atomics on one word go one after another.
                    int same = 0;
                    for (std::uint32_t rest = group; rest; rest &= rest - 1)
                        same += offsets[__builtin_ctz(rest)] == offsets[__builtin_ctz(group)];
                    latency.set(Step::Wavefront, latency[Step::Wavefront] + static_cast<float>(2 * same));
                    block.cost.sharedWavefronts += static_cast<std::uint64_t>(same - 1);
                }
            }
            return true;
        });
    if (!good)
        return false;
    schedule<Level>(warp, insn, latency);
    return true;
}

template <int Level>
void Interpreter::accountGlobal(BlockContext& block, const Insn& insn, const Target& target,
                                std::uint32_t mask, const std::uint32_t* offsets, bool write, bool atomics,
                                Chain& latency)
{
    const Region& region = *target.region;
    // Aligned accesses of at most 16 bytes lie in one sector each.
    std::uint32_t sectors[lanesPerWarp + 16], missed[lanesPerWarp];
    int count = 0;
    std::uint32_t last = ~0u;
    bool ascending = true;
    int wavefronts = 0; // 128-byte lines asked for one after another
    if (target.dense) {
        const std::uint32_t end = offsets[lanesPerWarp - 1] + std::uint32_t(insn.width) * insn.vector - 1;
        for (std::uint32_t sector = offsets[0] >> 5; sector <= end >> 5; ++sector)
            sectors[count++] = region.firstSector + sector;
        wavefronts = static_cast<int>((sectors[count - 1] >> 2) - (sectors[0] >> 2)) + 1;
    } else if (mask == allLanes) {
        count = m_caches.sectorsOf(offsets, region.firstSector, sectors, &wavefronts, &ascending);
    } else {
        for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
            const std::uint32_t sector = region.firstSector + (offsets[__builtin_ctz(rest)] >> 5);
            ascending = ascending && (count == 0 || sector >= last);
            sectors[count] = sector;
            count += sector != last;
            wavefronts += sector >> 2 != last >> 2;
            last = sector;
        }
    }
    if (!ascending) {
        count = m_caches.distinct(sectors, count, m_sectorTable.data(), ++m_sectorGeneration);
        wavefronts = std::min(wavefronts, count);
    }
    LineCounters& line = m_lines[insn.lineIndex];
    line.globalSectors += count;
    int l1Hits = 0;
    const int l2Missed = insn.cachedL1 && !write ? m_memory.l2.access(m_caches, m_l1[m_smOfBlock], sectors,
                                                                      count, missed, &l1Hits)
                                                 : m_memory.l2.access(m_caches, sectors, count, missed);
    const int l2Asked = count - l1Hits, l2Hits = l2Asked - l2Missed;
    for (int i = 0; i < l2Missed; ++i) {
        std::uint64_t& seen = m_memory.touched[missed[i] / 64];
        const std::uint64_t bit = std::uint64_t(1) << (missed[i] % 64);
        m_outcome.statistics.profile.distinctSectors += (seen & bit) == 0 ? 1 : 0;
        seen |= bit;
    }
    line.l1Hits += l1Hits;
    line.l2Hits += l2Hits;
    line.dramSectors += l2Missed;
    BlockCost& cost = block.cost;
    cost.l1Sectors += static_cast<std::uint64_t>(count);
    cost.l2Sectors += static_cast<std::uint64_t>(l2Asked);
    cost.dramSectors += static_cast<std::uint64_t>(l2Missed);
    const int further = std::max(wavefronts - 1, 0);
    cost.memoryWavefronts += static_cast<std::uint64_t>(further);
    LaunchProfile& profile = m_outcome.statistics.profile;
    if (atomics) {
        profile.atomicSectors += count;
        profile.atomicLanes += bitCount(mask);
        for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
            const std::uint32_t offset = offsets[__builtin_ctz(rest)];
            const std::uint32_t word = region.firstSector * 8 + (offset >> 2);
            ++m_wordHeat[(word * 2654435761u) >> 18];
        }
        for (int i = 0; i < count; ++i) // one request for each sector, however many lanes it serves
            ++m_sectorHeat[(sectors[i] * 2654435761u) >> 18];
    } else if (write) {
        profile.storeSectors += count;
    }
    float steps[Chain::size];
    latency.store(steps);
    steps[at(Step::Load)] = 1;
    steps[at(Step::BeyondL1)] = std::max(steps[at(Step::BeyondL1)], l2Asked ? 1.0f : 0.0f);
    steps[at(Step::BeyondL2)] = std::max(steps[at(Step::BeyondL2)], l2Missed ? 1.0f : 0.0f);
    steps[at(Step::Wavefront)] += static_cast<float>(further);
    latency.load(steps);
}

void Interpreter::accountShared(BlockContext& block, const Insn& insn, std::uint32_t mask,
                                const std::uint32_t* offsets, Chain& latency)
{
    latency.join(oneStep(Step::Shared));
    const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
    if (mask == allLanes && width == 4 && m_address.contiguous(offsets, 4))
        return;
    // 32 banks of 4 bytes; wide accesses go by halves or quarters of the warp.
    const int lanesTogether = width <= 4 ? 32 : width == 8 ? 16 : 8;
    int passes = 0;
    for (int first = 0; first < lanesPerWarp; first += lanesTogether) {
        std::uint32_t held[32][4];
        std::uint8_t count[32] = {};
        int most = 0;
        for (int l = first; l < first + lanesTogether; ++l) {
            if (!((mask >> l) & 1))
                continue;
            for (std::uint32_t word = offsets[l] / 4; word <= (offsets[l] + width - 1) / 4; ++word) {
                const std::uint32_t bank = word % 32;
                bool seen = false;
                for (int k = 0; k < std::min<int>(count[bank], 4); ++k)
                    seen = seen || held[bank][k] == word;
                if (seen)
                    continue;
                if (count[bank] < 4)
                    held[bank][count[bank]] = word;
                ++count[bank];
                most = std::max<int>(most, count[bank]);
            }
        }
        passes += most;
    }
    const int expected = width <= 4 ? 1 : static_cast<int>(width / 4);
    const int extra = std::max(0, passes - expected);
    m_lines[insn.lineIndex].bankConflicts += extra;
    block.cost.sharedWavefronts += static_cast<std::uint64_t>(std::max(passes - 1, 0));
    latency.set(Step::Wavefront, latency[Step::Wavefront] + static_cast<float>(std::max(passes - 1, 0)));
}

bool Interpreter::checkWritten(BlockContext& block, Warp& warp, const Insn& insn, const Target& target,
                               std::uint32_t mask, const std::uint32_t* offsets)
{
    const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        if (target.written->test(offsets[l], width))
            continue;
        return fault(
            block, warp, insn, l, FaultKind::Uninitialised,
            fmt::format("{} is read before anything was written there", describe(target, offsets[l])));
    }
    return true;
}

RaceDetector::Access Interpreter::accessOf(BlockContext& block, const Warp& warp, const Insn& insn,
                                           bool strong) const
{
    RaceDetector::Access access;
    access.clock = &block.clock;
    access.warp = warp.index;
    access.strong = strong;
    access.reach = strong && insn.scope == ptx::Scope::Cta ? Reach::Block : Reach::Device;
    access.nonCoherent = insn.readOnly;
    access.line = static_cast<std::uint16_t>(insn.lineIndex);
    return access;
}

bool Interpreter::checkRaces(BlockContext& block, Warp& warp, const Insn& insn, const Target& target,
                             std::uint32_t mask, const std::uint32_t* offsets, bool write, bool strong,
                             const std::uint64_t* values)
{
    const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
    std::vector<WordHistory>& history = *target.history;
    RaceDetector::Access access = accessOf(block, warp, insn, strong);
    const std::uint32_t bytes = width >= 4 ? 0xfu : (1u << width) - 1;
    const bool atomics = insn.kind == Kind::Atomic;
    // First everything is compared with what was before this instruction, then recorded: lanes of one
    // instruction are looked at separately.
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        access.lane = l;
        access.address = target.syncBase + offsets[l] / 4 * 4;
        if (strong) {
            const bool ordered = insn.order >= ptx::Order::Acquire;
            m_races.strongAccess(access, !write || atomics, write, ordered, target.space == Space::Shared);
            access.overwrites = false;
            for (int e = 0; values && e < insn.vector; ++e)
                access.overwrites =
                    access.overwrites || std::memcmp(target.host + offsets[l] + std::size_t(e) * insn.width,
                                                     &values[e * lanesPerWarp + l], insn.width) != 0;
        }
        access.bytes = static_cast<std::uint8_t>(width >= 4 ? 0xf : bytes << (offsets[l] & 3));
        access.polled = strong && !write && target.region;
        access.weakRead = !strong && !write;
        for (std::uint32_t word = offsets[l] / 4; word <= (offsets[l] + width - 1) / 4; ++word) {
            const auto conflict = write ? m_races.checkWrite(history[word], target.generation, access)
                                        : m_races.checkRead(history[word], target.generation, access);
            access.overwrites = false; // a thread remembers the first word of what it saw
            if (!conflict)
                continue;
            const char* without =
                conflict->lost
                    ? "without either having seen the other's value: volatile or relaxed accesses do not "
                      "make a read and a write one, atomics do"
                : conflict->readOnly ? "in this launch: ld.global.nc reads what nobody writes meanwhile"
                : conflict->unordered
                    ? "although a later write of that thread has been seen before: a fence between its two "
                      "writes and one between the two reads are missing"
                : conflict->scope ? "without synchronisation between: block scope does not reach other blocks"
                                  : "without synchronisation between";
            return fault(block, warp, insn, l, FaultKind::Race,
                         fmt::format("race on {}: {} here and {} by {} (line {}) {}",
                                     describe(target, offsets[l]), write ? "written" : "read",
                                     conflict->priorWrite ? "written" : "read",
                                     threadName(conflict->warp, conflict->lane, block),
                                     m_code.lines[conflict->line], without));
        }
        if (strong && target.region && (!write || (atomics && insn.args.d != noSlot)))
            m_races.observe(history[offsets[l] / 4], target.generation, access);
    }
    if (strong && !chargeSynchronisation(block, warp, insn, __builtin_ctz(mask)))
        return false;
    if (write && !atomics) {
        bool ascending = true;
        std::uint32_t last = 0;
        bool first = true;
        for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
            const std::uint32_t at = offsets[__builtin_ctz(rest)];
            ascending = ascending && (first || at > last);
            last = at;
            first = false;
        }
        const std::uint64_t keep =
            insn.width >= 8 ? ~std::uint64_t(0) : (std::uint64_t(1) << (8 * insn.width)) - 1;
        for (std::uint32_t rest = ascending ? 0 : mask; rest; rest &= rest - 1) {
            const int a = __builtin_ctz(rest);
            for (std::uint32_t others = rest & (rest - 1); others; others &= others - 1) {
                const int b = __builtin_ctz(others);
                if (offsets[a] != offsets[b])
                    continue;
                bool same = true;
                for (int e = 0; e < insn.vector; ++e)
                    same =
                        same && ((values[e * lanesPerWarp + a] ^ values[e * lanesPerWarp + b]) & keep) == 0;
                if (!same)
                    return fault(
                        block, warp, insn, b, FaultKind::Race,
                        fmt::format("race on {}: lanes {} and {} of a warp write different values there in "
                                    "one instruction",
                                    describe(target, offsets[b]), a, b));
            }
        }
    }
    if (!atomics)
        recordAccess(block, warp, insn, target, mask, offsets, write, strong);
    return true;
}

void Interpreter::recordAccess(BlockContext& block, Warp& warp, const Insn& insn, const Target& target,
                               std::uint32_t mask, const std::uint32_t* offsets, bool write, bool strong)
{
    const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
    const std::uint32_t bytes = width >= 4 ? 0xfu : (1u << width) - 1;
    std::vector<WordHistory>& history = *target.history;
    RaceDetector::Access access = accessOf(block, warp, insn, strong);
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        access.lane = l;
        access.bytes = static_cast<std::uint8_t>(width >= 4 ? 0xf : bytes << (offsets[l] & 3));
        if (write)
            m_races.nextWrite();
        // Backwards, so that the first word is what a strong read is remembered by.
        for (std::uint32_t word = (offsets[l] + width - 1) / 4 + 1; word-- > offsets[l] / 4;) {
            access.address = target.syncBase + std::uint64_t(word) * 4;
            if (write)
                m_races.recordWrite(history[word], target.generation, access);
            else
                m_races.recordRead(history[word], target.generation, access);
        }
    }
}

bool Interpreter::chargeSynchronisation(const BlockContext& block, const Warp& warp, const Insn& insn,
                                        int lane)
{
    constexpr std::uint64_t workPerStep =
        4; // a node of knowledge takes a quarter of what an instruction does
    const std::uint64_t steps = (m_races.store().work() - m_chargedWork) / workPerStep;
    m_chargedWork += steps * workPerStep;
    m_stepsLeft -= std::min(m_stepsLeft, steps);
    constexpr std::size_t most = std::size_t(384) << 20;
    if (m_races.bytes() <= most)
        return true;
    return fault(
        block, warp, insn, lane, FaultKind::Timeout,
        fmt::format("its threads release more to each other than can be followed in {} MiB", most >> 20));
}

std::string Interpreter::describe(const Target& target, std::uint32_t offset) const
{
    if (target.region)
        return fmt::format("{}[{}]", target.region->name, offset / target.region->elementBytes);
    if (target.space == Space::Local)
        return fmt::format("byte {} of a thread's local memory",
                           offset % std::max<std::int64_t>(m_code.localBytes, 1));
    for (const SharedVariable& variable : m_code.shared) {
        const std::int64_t bytes = variable.bytes ? variable.bytes : m_sharedBytes - variable.offset;
        if (offset >= variable.offset && offset < variable.offset + bytes)
            return fmt::format("byte {} of the shared array '{}'", offset - variable.offset, variable.name);
    }
    return fmt::format("byte {} of shared memory", offset);
}

bool Interpreter::addressFault(const BlockContext& block, const Warp& warp, const Insn& insn, int lane,
                               std::uint64_t address, bool write, bool atomics)
{
    const char* verb = atomics ? "atomic on" : write ? "write to" : "read of";
    const std::uint64_t given = insn.addressWide ? doubles(warp.registers, insn.address)[lane]
                                                 : words(warp.registers, insn.address)[lane];
    if (insn.space == Space::Shared || insn.space == Space::Local) {
        const auto at = static_cast<std::int64_t>(given) + insn.offset;
        return fault(block, warp, insn, lane, FaultKind::OutOfBounds,
                     fmt::format("{} {} memory at byte {}, which has {} bytes", verb,
                                 insn.space == Space::Shared ? "shared" : "local",
                                 insn.addressWide ? at : static_cast<std::int32_t>(at),
                                 insn.space == Space::Shared ? m_sharedBytes : m_code.localBytes));
    }
    const std::uint64_t number = address >> regionShift;
    if (number == 0 || number > m_memory.regions.size())
        return fault(block, warp, insn, lane, FaultKind::OutOfBounds,
                     fmt::format("{} the address 0x{:x}, which belongs to no array", verb, address));
    const Region& region = m_memory.regions[number - 1];
    const auto distance = static_cast<std::int64_t>(address - region.base);
    std::int64_t index = distance / region.elementBytes;
    if (distance < 0 && distance % region.elementBytes)
        --index;
    const std::uint64_t width = std::uint64_t(insn.width) * insn.vector;
    if (distance >= 0 && static_cast<std::uint64_t>(distance) + width <= region.bytes) {
        return fault(block, warp, insn, lane, FaultKind::OutOfBounds,
                     fmt::format("{} {}[{}], which may only be read here", verb, region.name, index));
    }
    return fault(block, warp, insn, lane, FaultKind::OutOfBounds,
                 fmt::format("{} {}[{}], which has {} elements", verb, region.name, index,
                             region.bytes / region.elementBytes));
}

template void Interpreter::accountGlobal<1>(BlockContext&, const Insn&, const Target&, std::uint32_t,
                                            const std::uint32_t*, bool, bool, Chain&);
template void Interpreter::accountGlobal<2>(BlockContext&, const Insn&, const Target&, std::uint32_t,
                                            const std::uint32_t*, bool, bool, Chain&);
template bool Interpreter::load<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::load<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::load<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::store<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::store<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::store<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::atomic<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::atomic<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::atomic<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);

} // namespace sparserl::sim
