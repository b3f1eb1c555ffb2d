// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics.
#include "device/simulator/execute/atomic_operations.h"
#include "device/simulator/execute/warp_executor.h"

#include <bit>
#include <cstring>

namespace sparserl::sim {

using ptx::AtomOp;
using ptx::Space;

namespace {

/// A loaded value as its register holds it: sign or zero extended.
std::uint64_t extended(std::uint64_t bits, int width, bool sign)
{
    if (sign && width < 8 && (bits >> (8 * width - 1)) & 1)
        bits |= ~std::uint64_t(0) << (8 * width);
    return bits;
}

std::uint64_t registerValue(const Warp& warp, const Insn& insn, int which, int lane)
{
    if (insn.values[which] == noSlot)
        return 0;
    return insn.valueWide[which] ? doubles(warp.registers, insn.values[which])[lane]
                                 : words(warp.registers, insn.values[which])[lane];
}

} // namespace

void WarpExecutor::noteRead(Warp& warp, const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                            const std::uint32_t* offsets) const
{
    const std::uint32_t at = offsets[__builtin_ctz(mask)];
    warp.noteRead(at * 0x9e3779b97f4a7c15u ^ readBytes(target.host + at, insn.width));
}

inline void WarpExecutor::loadElement(Warp& warp, const Insn& insn, const AddressedMemory& target,
                                      std::uint32_t mask, const std::uint32_t* offsets, int element) const
{
    const bool sign = ptx::isSigned(insn.type);
    const std::byte* const host = target.host + std::size_t(element) * insn.width;
    if (insn.width == 4 && !insn.valueWide[element]) {
        std::uint32_t* const d = words(warp.registers, insn.values[element]);
        if (target.dense && insn.vector == 1)
            std::memcpy(d, host + offsets[0], 128);
        else
            m_address.gather32(host, offsets, mask, d);
        return;
    }
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        const std::uint64_t bits = extended(readBytes(host + offsets[l], insn.width), insn.width, sign);
        if (insn.valueWide[element])
            doubles(warp.registers, insn.values[element])[l] = bits;
        else
            words(warp.registers, insn.values[element])[l] = insn.width < 4 && !sign
                                                                 ? static_cast<std::uint32_t>(bits & 0xffff)
                                                                 : static_cast<std::uint32_t>(bits);
    }
}

template <int Level>
bool WarpExecutor::load(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    Chain latency;
    const bool strong = insn.order != ptx::Order::Weak;
    const auto visit = [&](const AddressedMemory& target, std::uint32_t group, const std::uint32_t* offsets) {
        // Local memory is watched in every run: what another block left there is no result.
        const bool unwritten = (checksAll(Level) || target.space == Space::Local) &&
                               target.written->active() &&
                               !target.isWritten(group, offsets, std::uint32_t(insn.width) * insn.vector);
        // No compiler loads by a strong access what may not be used.
        if (unwritten && strong)
            return m_memory.checkWritten(block, warp, insn, target, group, offsets);
        if constexpr (checksAll(Level)) {
            if (target.history && !target.history->empty() &&
                !m_memory.checkRaces(block, warp, insn, target, group, offsets, {false, strong}, nullptr))
                return false;
            if (target.space == Space::Shared && !warp.copies.empty() &&
                meetsCopy(block, warp, insn, group, offsets, std::uint32_t(insn.width) * insn.vector, "read"))
                return false;
        }
        for (int e = 0; e < insn.vector; ++e) {
            if (insn.values[e] != noSlot)
                loadElement(warp, insn, target, group, offsets, e);
        }
        if (unwritten)
            markUnwritten(warp, insn, target, group, offsets);
        if (strong) {
            if (!checksAll(Level) && m_run.drawn && target.space != Space::Local &&
                !m_memory.followUnchecked(block, warp, insn, target, group, offsets, false))
                return false;
            if (m_run.preempts && target.space != Space::Local && (m_run.random.next() & 7))
                m_run.preempt = true;
            noteRead(warp, insn, target, group, offsets);
        }
        if constexpr (counts(Level)) {
            if (target.region)
                m_profiler.accountGlobal(block.cost, insn, target, group, offsets, Traffic::Read, latency);
            else if (target.space == Space::Shared)
                m_profiler.accountShared(block.cost, insn, group, offsets, latency);
            else
                latency.join(oneStep(Step::Load));
        }
        return true;
    };
    if (!m_memory.forTargets(block, warp, insn, mask, visit))
        return false;
    schedule<Level>(warp, insn, latency);
    return true;
}

/// Of lanes that write to the same place, the last one stays.
inline void WarpExecutor::storeElement(const Warp& warp, const Insn& insn, const AddressedMemory& target,
                                       std::uint32_t mask, const std::uint32_t* offsets, int element) const
{
    std::byte* const host = target.host + std::size_t(element) * insn.width;
    if (insn.width == 4 && insn.values[element] != noSlot && !insn.valueWide[element]) {
        const std::uint32_t* const values = words(warp.registers, insn.values[element]);
        if (target.dense && insn.vector == 1) {
            std::memcpy(host + offsets[0], values, 128);
            return;
        }
        for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
            const int l = __builtin_ctz(rest);
            std::memcpy(host + offsets[l], &values[l], 4);
        }
        return;
    }
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        writeBytes(host + offsets[l], registerValue(warp, insn, element, l), insn.width);
    }
}

template <int Level>
bool WarpExecutor::store(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    const bool strong = insn.order != ptx::Order::Weak;
    const auto visit = [&](const AddressedMemory& target, std::uint32_t group, const std::uint32_t* offsets) {
        if constexpr (checksAll(Level)) {
            std::uint64_t values[4][lanesPerWarp];
            for (int e = 0; e < insn.vector; ++e) {
                for (int l = 0; l < lanesPerWarp; ++l)
                    values[e][l] = registerValue(warp, insn, e, l);
            }
            if (target.history && !target.history->empty() &&
                !m_memory.checkRaces(block, warp, insn, target, group, offsets, {true, strong}, values[0]))
                return false;
            if (target.space == Space::Shared && !warp.copies.empty() &&
                meetsCopy(block, warp, insn, group, offsets, std::uint32_t(insn.width) * insn.vector,
                          "written"))
                return false;
        }
        if constexpr (!checksAll(Level)) {
            if (strong && m_run.drawn && target.space != Space::Local) {
                if (!m_memory.followUnchecked(block, warp, insn, target, group, offsets, true))
                    return false;
                MemorySystem::forget(insn, target, group, offsets);
            }
        }
        // Who is checked may read what others have written.
        if ((checksAll(Level) || target.space == Space::Local || (m_run.drawn && target.region)) &&
            target.written->active()) {
            const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
            if (target.dense)
                target.written->setRun(offsets[0], width * lanesPerWarp);
            for (std::uint32_t rest = target.dense ? 0 : group; rest; rest &= rest - 1)
                target.written->set(offsets[__builtin_ctz(rest)], width);
        }
        m_run.changes += target.space == Space::Local ? 0 : 1;
        for (int e = 0; e < insn.vector; ++e)
            storeElement(warp, insn, target, group, offsets, e);
        if constexpr (counts(Level)) {
            Chain ignored;
            if (target.region)
                m_profiler.accountGlobal(block.cost, insn, target, group, offsets, Traffic::Write, ignored);
            else if (target.space == Space::Shared)
                m_profiler.accountShared(block.cost, insn, group, offsets, ignored);
        }
        return true;
    };
    if (!m_memory.forTargets(block, warp, insn, mask, visit))
        return false;
    schedule<Level>(warp, insn, Chain());
    return true;
}

template <int Level>
bool WarpExecutor::atomic(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    Chain latency;
    bool loops = false;
    const auto visit = [&](const AddressedMemory& target, std::uint32_t group, const std::uint32_t* offsets) {
        if (target.space == Space::Local)
            return m_run.fault(block, warp, insn, __builtin_ctz(group), FaultKind::OutOfBounds,
                               "an atomic on local memory");
        if constexpr (checksAll(Level)) {
            if (target.written->active() && !m_memory.checkWritten(block, warp, insn, target, group, offsets))
                return false;
            if (!target.history->empty() &&
                !m_memory.checkRaces(block, warp, insn, target, group, offsets, {true, true}, nullptr))
                return false;
            if (target.space == Space::Shared && !warp.copies.empty() &&
                meetsCopy(block, warp, insn, group, offsets, insn.width, "changed by an atomic"))
                return false;
        }
        if constexpr (!checksAll(Level)) {
            if (m_run.drawn && !m_memory.followUnchecked(block, warp, insn, target, group, offsets, true))
                return false;
        }
        std::uint32_t changed = 0;
        bool failedSwap = false;
        // Nothing says in which order the lanes of one instruction come: by lot, up or down from one of them.
        const std::uint64_t lot = m_run.shuffled ? m_run.random.next() >> 20 : 0;
        const int first = static_cast<int>(lot & 31);
        const bool down = (lot & 32) != 0;
        for (std::uint32_t rest = std::rotr(group, first); rest;) {
            const int next = down ? 31 - std::countl_zero(rest) : std::countr_zero(rest);
            rest ^= 1u << next;
            const int l = (next + first) & 31;
            std::byte* const at = target.host + offsets[l];
            const std::uint64_t old = readBytes(at, insn.width);
            const std::uint64_t operand = registerValue(warp, insn, 0, l);
            const std::uint64_t updated =
                atomicResult(insn.atom, insn.type, old, operand, registerValue(warp, insn, 1, l));
            failedSwap = failedSwap || (insn.atom == AtomOp::Cas && updated == old && operand != old);
            writeBytes(at, updated, insn.width);
            changed |= (readBytes(at, insn.width) != old ? 1u : 0u) << l;
            if (insn.args.d == noSlot)
                continue;
            if (insn.width == 8)
                doubles(warp.registers, insn.args.d)[l] = old;
            else
                words(warp.registers, insn.args.d)[l] = static_cast<std::uint32_t>(old);
        }
        m_run.changes += changed ? 1 : 0;
        m_run.failedSwaps += failedSwap ? 1 : 0;
        if (!checksAll(Level) && m_run.drawn)
            MemorySystem::forget(insn, target, changed, offsets);
        if constexpr (checksAll(Level)) {
            // An atomic that leaves a word as it is (a lock that is taken) only reads it.
            if (!target.history->empty()) {
                m_memory.recordAccess(block, warp, insn, target, group & ~changed, offsets, {false, true});
                m_memory.recordAccess(block, warp, insn, target, changed, offsets, {true, true});
            }
        }
        if (insn.atom == AtomOp::Cas || insn.atom == AtomOp::Exch || insn.atom == AtomOp::Add)
            noteRead(warp, insn, target, group, offsets);
        if constexpr (counts(Level)) {
            m_profiler.lines()[insn.lineIndex].atomics += bitCount(group);
            if (target.region) {
                Chain ignored;
                m_profiler.accountGlobal(block.cost, insn, target, group, offsets, Traffic::Atomic, ignored);
                latency.join(oneStep(Step::Atomic));
            } else if (isLoopInShared(insn)) {
                loops = true;
                m_profiler.accountSharedLoop(block.cost, insn, group, offsets, latency);
            } else {
                m_profiler.accountSharedAtomics(block.cost, insn, group, offsets, latency);
            }
        }
        return true;
    };
    if (!m_memory.forTargets(block, warp, insn, mask, visit))
        return false;
    if (!loops) {
        schedule<Level>(warp, insn, latency);
        return true;
    }
    // What follows in the text comes after the loop.
    schedule<Level>(warp, insn, Chain());
    warp.time.closeRun(0);
    warp.time.base.add(latency);
    warp.time.last = warp.time.base;
    for (int i = 0; i < insn.writeCount; ++i)
        warp.ready[insn.writes[i]] = warp.time.base;
    return true;
}

template bool WarpExecutor::load<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::load<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::load<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::load<3>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::store<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::store<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::store<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::store<3>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::atomic<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::atomic<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::atomic<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::atomic<3>(BlockContext&, Warp&, const Insn&, std::uint32_t);

} // namespace sparserl::sim
