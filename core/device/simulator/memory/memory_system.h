// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/lanes/registers.h"
#include "device/simulator/memory/faults.h"
#include "device/simulator/memory/simulated_memory.h"

#include <fmt/format.h>

namespace sparserl::sim {

/// What an access to memory does.
struct AccessKind
{
    bool write = false; ///< True for stores and atomics.
    bool strong = false;
};

/// Finds the memory that the lanes of an instruction address, and checks the access: bounds, alignment,
/// unwritten bytes and races. A check that fails reports a fault and returns false.
class MemorySystem
{
public:
    MemorySystem(SimulatedMemory& memory, const KernelCode& code, const LaunchShape& shape,
                 std::int64_t sharedBytes, std::uint32_t launchNumber, Faults& faults, StepBudget& steps)
        : m_memory(memory)
        , m_code(code)
        , m_address(laneTable().addresses)
        , m_sharedBytes(sharedBytes)
        , m_launchNumber(launchNumber)
        , m_races(shape.warpsPerBlock(), static_cast<std::uint64_t>(shape.blocks()), code.blockScope)
        , m_faults(faults)
        , m_steps(steps)
    {
    }

    /// Groups the lanes by the memory that they address, and calls `visit(AddressedMemory, mask, offsets)`
    /// for each group.
    template <class Visit>
    bool forTargets(BlockMemory& block, const WarpRegisters& warp, const Insn& insn, std::uint32_t mask,
                    Visit&& visit);
    /// Returns the lanes whose data have unwritten bytes among the `width` bytes from byte `first` on.
    static std::uint32_t unwrittenLanes(const AddressedMemory& target, std::uint32_t mask,
                                        const std::uint32_t* offsets, std::uint32_t first,
                                        std::uint32_t width);
    /// Reports that `insn` reads unwritten bytes. Returns false.
    bool unwrittenFault(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn, int lane,
                        const AddressedMemory& target, std::uint32_t offset);
    bool checkWritten(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                      const AddressedMemory& target, std::uint32_t mask, const std::uint32_t* offsets);
    /// Compares an access with earlier accesses, and records loads and stores. `values` are the stored
    /// values. An atomic is recorded later, when its effect is known.
    bool checkRaces(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                    const AddressedMemory& target, std::uint32_t mask, const std::uint32_t* offsets,
                    AccessKind kind, const std::uint64_t* values);
    /// The bytes that a lane's asynchronous copy reads or writes.
    struct CopyPart
    {
        std::uint32_t offset = 0, bytes = 0;
        std::uint32_t began = 0; ///< RaceDetector::stamp() when the copy was issued.
    };
    /// Checks what an asynchronous copy has read, when a thread waits for the copy. The copy may have read at
    /// any time since its issue, so any write to its source since then is a race, whichever thread wrote.
    /// Records the read. Returns false after a fault.
    bool checkCopied(BlockMemory& block, const WarpRegisters& warp, const Insn& insn, int lane,
                     Region& region, const CopyPart& source);
    /// Checks what the copy has written. It may have written at any time since its issue, so any access to
    /// its destination since then is a race. Records the write as made at the issue. Returns false after a
    /// fault.
    bool checkCopiedTo(BlockMemory& block, const WarpRegisters& warp, const Insn& insn, int lane,
                       const CopyPart& part);
    void recordAccess(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                      const AddressedMemory& target, std::uint32_t mask, const std::uint32_t* offsets,
                      AccessKind kind);
    /// Handles a strong access of an unchecked block. If the block is tracked, notes the knowledge that the
    /// access acquires and releases. Returns false after a fault.
    bool followUnchecked(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                         const AddressedMemory& target, std::uint32_t mask, const std::uint32_t* offsets,
                         bool write);
    /// Drops the histories of words that a strong access of an unchecked block has written, because later
    /// threads may rely on that write.
    static void forget(const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                       const std::uint32_t* offsets);
    /// Makes both checks of an access that only reads: unwritten bytes and races.
    bool checkRead(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                   const AddressedMemory& target, std::uint32_t mask, const std::uint32_t* offsets)
    {
        if (target.written->active() && !checkWritten(block, warp, insn, target, mask, offsets))
            return false;
        return !target.history || target.history->empty() ||
               checkRaces(block, warp, insn, target, mask, offsets, {}, nullptr);
    }

    RaceDetector& races() { return m_races; }
    std::int64_t sharedBytes() const { return m_sharedBytes; }

private:
    bool addressFault(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn, int lane,
                      std::uint64_t address, bool write);
    bool misaligned(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn, int lane,
                    const AddressedMemory& target, std::uint32_t offset, bool write);
    bool conflictFault(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn, int lane,
                       const std::string& place, bool write, const Conflict& conflict);
    /// Detects that lanes of one store write different values to the same place.
    bool checkLanes(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                    const AddressedMemory& target, std::uint32_t mask, const std::uint32_t* offsets,
                    const std::uint64_t* values);
    RaceDetector::Access accessOf(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                                  bool strong) const;
    /// Charges the work of tracking released knowledge to the step budget.
    bool chargeSynchronisation(const BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                               int lane);
    std::string describe(const AddressedMemory& target, std::uint32_t offset) const;

    SimulatedMemory& m_memory;
    const KernelCode& m_code;
    const AddressFns& m_address;
    std::int64_t m_sharedBytes;
    std::uint32_t m_launchNumber;
    RaceDetector m_races;
    Faults& m_faults;
    StepBudget& m_steps;
    std::uint64_t m_chargedWork = 0;
};

template <class Visit>
bool MemorySystem::forTargets(BlockMemory& block, const WarpRegisters& warp, const Insn& insn,
                              std::uint32_t mask, Visit&& visit)
{
    using ptx::Space;
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
        if (space == Space::Generic)
            space = m_code.addresses.windowOf(address, window);
        AddressedMemory target;
        target.space = space;
        std::uint32_t bad = left;
        if (space == Space::Shared || space == Space::Local) {
            const auto bytes =
                static_cast<std::uint64_t>(space == Space::Shared ? m_sharedBytes : m_code.localBytes);
            const std::uint64_t first = space == Space::Shared ? m_code.addresses.firstShared : 0;
            if (bytes >= width) {
                bad =
                    insn.addressWide
                        ? m_address.offsets64(wide, insn.offset, window + first, bytes - width, left, offsets)
                        : m_address.offsets32(narrow, insn.offset - static_cast<std::int64_t>(first),
                                              bytes - width, left, offsets);
            }
            if (space == Space::Shared) {
                target = addressedShared(block);
            } else {
                target.host = block.local.data();
                target.written = &block.localWritten;
                const auto stride = static_cast<std::uint32_t>(m_code.localBytes);
                for (int l = 0; l < lanesPerWarp; ++l)
                    offsets[l] += static_cast<std::uint32_t>(warp.index * lanesPerWarp + l) * stride;
            }
            // Lanes of a generic access that are outside this window may be inside another window. For other
            // accesses, this is a fault.
            if (insn.space != Space::Generic && bad)
                return addressFault(block, warp, insn, __builtin_ctz(bad), 0, write);
        } else {
            const std::uint32_t index = m_memory.regionOf(address, &insn);
            if (index == AddressMap::nothing || (space == Space::Const && index != constantRegion))
                return addressFault(block, warp, insn, lane, address, write);
            Region& region = m_memory.regions[index];
            if (region.bytes >= width)
                bad =
                    m_address.offsets64(wide, insn.offset, region.base, region.bytes - width, left, offsets);
            target = addressedRegion(region, space, m_launchNumber);
            if (write && !region.writable && !((bad >> lane) & 1))
                return addressFault(block, warp, insn, lane, address, true);
        }
        const std::uint32_t group = left & ~bad;
        if (!((group >> lane) & 1))
            return addressFault(block, warp, insn, lane, address, write);
        target.dense = group == allLanes &&
                       offsets[lanesPerWarp - 1] - offsets[0] == (lanesPerWarp - 1) * width &&
                       m_address.contiguous(offsets, static_cast<std::uint32_t>(width));
        if (width > 1) {
            const std::uint32_t crooked =
                target.dense ? static_cast<std::uint32_t>((offsets[0] & (width - 1)) != 0)
                             : m_address.misaligned(offsets, static_cast<std::uint32_t>(width), group);
            if (crooked) {
                const int which = __builtin_ctz(crooked);
                return misaligned(block, warp, insn, which, target, offsets[which], write);
            }
        }
        if (!visit(target, group, offsets))
            return false;
        left &= ~group;
    }
    return true;
}

} // namespace sparserl::sim
