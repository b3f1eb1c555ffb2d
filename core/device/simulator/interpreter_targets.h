// SPDX-License-Identifier: Apache-2.0
// Which memory the lanes of an instruction address. Included by the interpreter's own files only.
#pragma once

#include "device/simulator/interpreter.h"

#include <cstring>
#include <fmt/format.h>

namespace sparserl::sim {

using ptx::Space;

inline std::uint32_t* words(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint32_t*>(registers + slot);
}
inline std::uint64_t* doubles(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint64_t*>(registers + slot);
}
inline std::uint64_t readBytes(const std::byte* at, int width)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, width);
    return bits;
}

template <class Visit>
bool Interpreter::forTargets(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask,
                             Visit&& visit)
{
    alignas(64) std::uint32_t offsets[lanesPerWarp];
    const std::uint64_t width = std::uint64_t(insn.width) * insn.vector;
    const bool write = insn.kind == Kind::Store || insn.kind == Kind::Atomic;
    const std::uint64_t* const wide = doubles(warp.registers, insn.address);
    const std::uint32_t* const narrow = words(warp.registers, insn.address);
    for (std::uint32_t left = mask; left;) {
        const int lane = __builtin_ctz(left);
        const std::uint64_t address = insn.addressWide
                                          ? wide[lane] + static_cast<std::uint64_t>(insn.offset)
                                          : narrow[lane] + static_cast<std::uint32_t>(insn.offset);
        Space space = insn.space;
        std::uint64_t window = 0;
        if (space == Space::Generic) {
            // Shared and local memory have windows of generic addresses, 2^52 bytes around their start.
            const std::uint64_t slack = std::uint64_t(1) << 52;
            if (address + slack >= localWindow)
                space = Space::Local, window = localWindow;
            else if (address + slack >= sharedWindow)
                space = Space::Shared, window = sharedWindow;
            else
                space = Space::Global;
        }
        Target target;
        target.space = space;
        std::uint32_t bad = left;
        if (space == Space::Shared || space == Space::Local) {
            const auto bytes =
                static_cast<std::uint64_t>(space == Space::Shared ? m_sharedBytes : m_code.localBytes);
            if (bytes >= width) {
                bad = insn.addressWide
                          ? m_address.offsets64(wide, insn.offset, window, bytes - width, left, offsets)
                          : m_address.offsets32(narrow, insn.offset, bytes - width, left, offsets);
            }
            if (space == Space::Shared) {
                target.host = block.shared.data();
                target.written = &block.sharedWritten;
                target.history = &block.sharedHistory;
                target.generation = block.generation;
                target.syncBase = (std::uint64_t(1) << 63) | std::uint64_t(block.number) << 24;
            } else {
                target.host = block.local.data();
                target.written = &block.localWritten;
                const auto stride = static_cast<std::uint32_t>(m_code.localBytes);
                for (int l = 0; l < lanesPerWarp; ++l)
                    offsets[l] += static_cast<std::uint32_t>(warp.index * lanesPerWarp + l) * stride;
            }
            // Lanes of a generic access that are outside this window may be inside another; others are wrong.
            if (insn.space != Space::Generic && bad)
                return addressFault(block, warp, insn, __builtin_ctz(bad), 0, write,
                                    insn.kind == Kind::Atomic);
        } else {
            const std::uint64_t number = address >> regionShift;
            if (number == 0 || number > m_memory.regions.size() ||
                (space == Space::Const) != (space == Space::Const && number == constantRegion + 1))
                return addressFault(block, warp, insn, lane, address, write, insn.kind == Kind::Atomic);
            Region& region = m_memory.regions[number - 1];
            if (region.bytes >= width)
                bad =
                    m_address.offsets64(wide, insn.offset, region.base, region.bytes - width, left, offsets);
            target.region = &region;
            target.host = region.host;
            target.written = &region.written;
            target.history = &region.history;
            target.generation = m_setup.launchNumber;
            target.syncBase = region.base;
            if (write && !region.writable && !((bad >> lane) & 1))
                return addressFault(block, warp, insn, lane, address, true, insn.kind == Kind::Atomic);
        }
        const std::uint32_t group = left & ~bad;
        if (!((group >> lane) & 1))
            return addressFault(block, warp, insn, lane, address, write, insn.kind == Kind::Atomic);
        target.dense = group == allLanes &&
                       offsets[lanesPerWarp - 1] - offsets[0] == (lanesPerWarp - 1) * width &&
                       m_address.contiguous(offsets, static_cast<std::uint32_t>(width));
        if (width > 1) {
            const std::uint32_t crooked =
                target.dense ? static_cast<std::uint32_t>((offsets[0] & (width - 1)) != 0)
                             : m_address.misaligned(offsets, static_cast<std::uint32_t>(width), group);
            if (crooked) {
                const int which = __builtin_ctz(crooked);
                return fault(block, warp, insn, which, FaultKind::OutOfBounds,
                             fmt::format("misaligned {} of {} bytes at {}", write ? "write" : "read", width,
                                         describe(target, offsets[which])));
            }
        }
        if (!visit(target, group, offsets))
            return false;
        left &= ~group;
    }
    return true;
}

} // namespace sparserl::sim
