// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/memory/memory_system.h"

#include <algorithm>
#include <cstring>

namespace sparserl::sim {

using ptx::Space;

namespace {

WarpPlace placeOf(const BlockMemory& block, const WarpRegisters& warp)
{
    return {block.number, warp.index};
}

} // namespace

std::uint32_t MemorySystem::unwrittenLanes(const AddressedMemory& target, std::uint32_t mask,
                                           const std::uint32_t* offsets, std::uint32_t first,
                                           std::uint32_t width)
{
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        lanes |= (target.written->test(offsets[l] + first, width) ? 0u : 1u) << l;
    }
    return lanes;
}

bool MemorySystem::unwrittenFault(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                                  int lane, const AddressedMemory& target, std::uint32_t offset)
{
    return m_faults.report(
        placeOf(block, warp), insn, lane, FaultKind::Uninitialised,
        fmt::format("{} is read before anything was written there", describe(target, offset)));
}

bool MemorySystem::checkWritten(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                                const AddressedMemory& target, std::uint32_t mask,
                                const std::uint32_t* offsets)
{
    const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
    if (target.isWritten(mask, offsets, width))
        return true;
    const int lane = __builtin_ctz(unwrittenLanes(target, mask, offsets, 0, width));
    return unwrittenFault(block, warp, insn, lane, target, offsets[lane]);
}

RaceDetector::Access MemorySystem::accessOf(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
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

bool MemorySystem::conflictFault(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                                 int lane, const std::string& place, bool write, const Conflict& conflict)
{
    const char* const without =
        conflict.copying ? "before this asynchronous copy was waited for: it may be under way until then"
        : conflict.lost ? "without either having seen the other's value: volatile or relaxed accesses do not "
                          "make a read and a write one, atomics do"
        : conflict.readOnly ? "in this launch: ld.global.nc reads what nobody writes meanwhile"
        : conflict.unordered
            ? "although a later write of that thread has been seen before: a fence between its two "
              "writes and one between the two reads are missing"
        : conflict.scope ? "without synchronisation between: block scope does not reach other blocks"
                         : "without synchronisation between";
    return m_faults.report(placeOf(block, warp), insn, lane, FaultKind::Race,
                           fmt::format("race on {}: {} here and {} by {} (line {}) {}", place,
                                       write ? "written" : "read", conflict.priorWrite ? "written" : "read",
                                       m_faults.threadName(conflict.warp, conflict.lane, block.number),
                                       m_code.lines[conflict.line], without));
}

bool MemorySystem::checkLanes(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                              const AddressedMemory& target, std::uint32_t mask, const std::uint32_t* offsets,
                              const std::uint64_t* values)
{
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
                same = same && ((values[e * lanesPerWarp + a] ^ values[e * lanesPerWarp + b]) & keep) == 0;
            if (!same)
                return m_faults.report(
                    placeOf(block, warp), insn, b, FaultKind::Race,
                    fmt::format("race on {}: lanes {} and {} of a warp write different values there in "
                                "one instruction",
                                describe(target, offsets[b]), a, b));
        }
    }
    return true;
}

bool MemorySystem::checkRaces(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                              const AddressedMemory& target, std::uint32_t mask, const std::uint32_t* offsets,
                              AccessKind kind, const std::uint64_t* values)
{
    const auto [write, strong] = kind;
    if (!write && !strong && target.region && !target.region->writable)
        return true; // nobody writes there in this launch
    const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
    WordHistories& history = *target.history;
    RaceDetector::Access access = accessOf(block, warp, insn, strong);
    const std::uint32_t bytes = width >= 4 ? 0xfu : (1u << width) - 1;
    const bool atomics = insn.kind == Kind::Atomic;
    // First everything is compared with what was before this instruction, then recorded: lanes of one
    // instruction are looked at separately.
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        if (!strong && width == 4 && !history[offsets[l] / 4].mayConflict(target.generation, write))
            continue;
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
            const WordHistory& known = history[word];
            std::optional<Conflict> conflict;
            if (known.mayConflict(target.generation, write))
                conflict = write ? m_races.checkWrite(known, target.generation, access)
                                 : m_races.checkRead(known, target.generation, access);
            access.overwrites = false; // a thread remembers the first word of what it saw
            if (conflict)
                return conflictFault(block, warp, insn, l, describe(target, offsets[l]), write, *conflict);
        }
        if (strong && target.region && (!write || (atomics && insn.args.d != noSlot)))
            m_races.observe(history[offsets[l] / 4], target.generation, access);
    }
    if (strong && !chargeSynchronisation(block, warp, insn, __builtin_ctz(mask)))
        return false;
    if (write && !atomics && !checkLanes(block, warp, insn, target, mask, offsets, values))
        return false;
    if (!atomics)
        recordAccess(block, warp, insn, target, mask, offsets, kind);
    return true;
}

bool MemorySystem::checkCopied(BlockMemory& block, const WarpRegisters& warp, const Insn& insn, int lane,
                               Region& region, const CopyPart& source)
{
    if (region.history.empty())
        return true;
    const AddressedMemory target = addressedRegion(region, Space::Global, m_launchNumber);
    RaceDetector::Access access = accessOf(block, warp, insn, false);
    access.lane = lane;
    const std::uint32_t end = source.offset + source.bytes;
    for (std::uint32_t at = source.offset; at < end; at = at / 4 * 4 + 4) {
        WordHistory& word = region.history[at / 4];
        access.bytes = end - at >= 4 ? 0xf : static_cast<std::uint8_t>((1u << (end - at)) - 1);
        access.address = target.syncBase + at;
        if (const auto conflict =
                RaceDetector::writtenSince(word, target.generation, access.bytes, source.began))
            return conflictFault(block, warp, insn, lane, describe(target, at), false, *conflict);
        m_races.recordRead(word, target.generation, access);
    }
    return true;
}

bool MemorySystem::checkCopiedTo(BlockMemory& block, const WarpRegisters& warp, const Insn& insn, int lane,
                                 const CopyPart& part)
{
    const AddressedMemory target = addressedShared(block);
    for (std::uint32_t at = part.offset; at < part.offset + part.bytes; at += 4) {
        if (const auto conflict =
                m_races.touchedSince(block.sharedHistory[at / 4], target.generation, part.began))
            return conflictFault(block, warp, insn, lane, describe(target, at), true, *conflict);
    }
    return true;
}

void MemorySystem::recordAccess(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                                const AddressedMemory& target, std::uint32_t mask,
                                const std::uint32_t* offsets, AccessKind kind)
{
    const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
    const std::uint32_t bytes = width >= 4 ? 0xfu : (1u << width) - 1;
    WordHistories& history = *target.history;
    RaceDetector::Access access = accessOf(block, warp, insn, kind.strong);
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        access.lane = l;
        access.bytes = static_cast<std::uint8_t>(width >= 4 ? 0xf : bytes << (offsets[l] & 3));
        if (kind.write)
            m_races.nextWrite();
        // Backwards, so that the first word is what a strong read is remembered by.
        for (std::uint32_t word = (offsets[l] + width - 1) / 4 + 1; word-- > offsets[l] / 4;) {
            access.address = target.syncBase + std::uint64_t(word) * 4;
            if (kind.write)
                m_races.recordWrite(history[word], target.generation, access);
            else
                m_races.recordRead(history[word], target.generation, access);
        }
    }
}

bool MemorySystem::followUnchecked(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                                   const AddressedMemory& target, std::uint32_t mask,
                                   const std::uint32_t* offsets, bool write)
{
    if (!block.tracked)
        return true;
    RaceDetector::Access access = accessOf(block, warp, insn, true);
    const bool reads = !write || insn.kind == Kind::Atomic, ordered = insn.order >= ptx::Order::Acquire;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        access.lane = __builtin_ctz(rest);
        access.address = target.syncBase + offsets[access.lane] / 4 * 4;
        m_races.strongAccess(access, reads, write, ordered, target.space == Space::Shared);
    }
    return chargeSynchronisation(block, warp, insn, __builtin_ctz(mask));
}

void MemorySystem::forget(const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                          const std::uint32_t* offsets)
{
    if (!target.region || target.history->empty())
        return;
    const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const std::uint32_t offset = offsets[__builtin_ctz(rest)];
        for (std::uint32_t word = offset / 4; word <= (offset + width - 1) / 4; ++word)
            target.history->forget(word);
    }
}

bool MemorySystem::chargeSynchronisation(const BlockMemory& block, const WarpRegisters& warp,
                                         const Insn& insn, int lane)
{
    // A node of knowledge takes a quarter of what an instruction does.
    constexpr std::uint64_t workPerStep = 4;
    const std::uint64_t steps = (m_races.store().work() - m_chargedWork) / workPerStep;
    m_chargedWork += steps * workPerStep;
    m_steps.charge(steps);
    constexpr std::size_t most = std::size_t(384) << 20;
    if (m_races.bytes() <= most)
        return true;
    return m_faults.report(
        placeOf(block, warp), insn, lane, FaultKind::Timeout,
        fmt::format("its threads release more to each other than can be followed in {} MiB", most >> 20));
}

std::string MemorySystem::describe(const AddressedMemory& target, std::uint32_t offset) const
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

bool MemorySystem::misaligned(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn, int lane,
                              const AddressedMemory& target, std::uint32_t offset, bool write)
{
    return m_faults.report(placeOf(block, warp), insn, lane, FaultKind::OutOfBounds,
                           fmt::format("misaligned {} of {} bytes at {}", write ? "write" : "read",
                                       std::uint64_t(insn.width) * insn.vector, describe(target, offset)));
}

bool MemorySystem::addressFault(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                                int lane, std::uint64_t address, bool write)
{
    const auto report = [&](std::string message) {
        return m_faults.report(placeOf(block, warp), insn, lane, FaultKind::OutOfBounds, std::move(message));
    };
    const char* const verb = insn.kind == Kind::Atomic ? "atomic on" : write ? "write to" : "read of";
    const std::uint64_t given = insn.addressWide ? doubles(warp.registers, insn.address)[lane]
                                                 : words(warp.registers, insn.address)[lane];
    if (insn.space == Space::Shared || insn.space == Space::Local) {
        const std::int64_t first = insn.space == Space::Shared ? m_code.addresses.firstShared : 0;
        const std::int64_t at = static_cast<std::int64_t>(given) + insn.offset - first;
        return report(fmt::format("{} {} memory at byte {}, which has {} bytes", verb,
                                  insn.space == Space::Shared ? "shared" : "local",
                                  insn.addressWide ? at : static_cast<std::int32_t>(at),
                                  insn.space == Space::Shared ? m_sharedBytes : m_code.localBytes));
    }
    const std::uint32_t number = m_memory.regionOf(address, nullptr);
    if (number == AddressMap::nothing)
        return report(fmt::format("{} the address 0x{:x}, which belongs to no array", verb, address));
    const Region& region = m_memory.regions[number];
    const auto distance = static_cast<std::int64_t>(address - region.base);
    std::int64_t index = distance / region.elementBytes;
    if (distance < 0 && distance % region.elementBytes)
        --index;
    const std::uint64_t width = std::uint64_t(insn.width) * insn.vector;
    if (distance >= 0 && static_cast<std::uint64_t>(distance) + width <= region.bytes)
        return report(fmt::format("{} {}[{}], which may only be read here", verb, region.name, index));
    return report(fmt::format("{} {}[{}], which has {} elements", verb, region.name, index,
                              region.bytes / region.elementBytes));
}

} // namespace sparserl::sim
