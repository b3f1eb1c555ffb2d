// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/execute/barriers.h"

#include "device/simulator/execute/divergence.h"

#include <fmt/format.h>

namespace sparserl::sim {

namespace {

/// Whether all lanes of `mask` have this value. Without a branch for each lane: every warp of a block comes
/// here at every barrier.
bool allHave(const std::uint32_t* values, std::uint32_t mask, std::uint32_t value)
{
    std::uint32_t differing = 0;
    if (mask == allLanes) {
        for (int l = 0; l < lanesPerWarp; ++l)
            differing |= values[l] ^ value;
        return differing == 0;
    }
    for (int l = 0; l < lanesPerWarp; ++l)
        differing |= (values[l] ^ value) & -((mask >> l) & 1);
    return differing == 0;
}

} // namespace

bool Barriers::arrive(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    const int lane = __builtin_ctz(mask);
    const auto fault = [&](std::string message) {
        return m_run.fault(block, warp, insn, lane, FaultKind::SyncError, std::move(message));
    };
    if (mask != warp.live) {
        if (mask == warp.mask && (joinWaiting(warp) || yieldSplit(warp, true))) {
            m_run.yielded = true;
            return false;
        }
        return fault(
            fmt::format("divergent barrier: lanes 0x{:08x} of the warp wait here, lanes 0x{:08x} do not come",
                        mask, warp.live & ~mask));
    }
    const std::uint32_t* ids = words(warp.registers, insn.args.a);
    const std::uint32_t id = ids[lane];
    std::int64_t threads = 0;
    if (insn.args.b != noSlot)
        threads = words(warp.registers, insn.args.b)[lane];
    if (id > 15 || !allHave(ids, mask, id))
        return fault(fmt::format("barrier {} does not exist, or lanes name different ones", id));
    if (insn.args.b != noSlot && (threads <= 0 || threads % lanesPerWarp || threads > 1024))
        return fault(fmt::format("barrier {} is for {} threads; that must be a multiple of 32", id, threads));
    BarrierState& barrier = block.barriers[id];
    if ((barrier.arrived || barrier.signalled) && barrier.expectedThreads != threads)
        return fault(fmt::format("barrier {} is waited for with different numbers of threads ({} and {})", id,
                                 barrier.expectedThreads, threads));
    barrier.expectedThreads = threads;
    if (insn.kind == Kind::BarrierArrive) {
        ++barrier.signalled;
        if (block.tracked) {
            // What this warp did so far is known to those who wait.
            barrier.signals.emplace_back(warp.index, block.clock.arrive(warp.index));
        }
        // Full without anybody who waits: it begins anew.
        if (!barrier.arrived && barrier.signalled * std::int64_t(lanesPerWarp) >= threads)
            barrier = {};
        return true;
    }
    ++barrier.arrived;
    warp.state = WarpState::AtBarrier;
    warp.barrier = static_cast<int>(id);
    warp.barrierCounted = insn.args.b != noSlot;
    warp.barrierPc = warp.pc;
    warp.barrierPredicates = 0;
    if (insn.kind == Kind::BarrierReduce) {
        const std::uint32_t predicate = *words(warp.registers, insn.args.c);
        warp.barrierPredicates = insn.args.imm & 4 ? ~predicate : predicate;
    }
    return true;
}

bool Barriers::complete(const BlockContext& block, const BarrierState& barrier) const
{
    if (!barrier.arrived)
        return false;
    const int there = barrier.arrived + barrier.signalled;
    if (barrier.expectedThreads)
        return there * std::int64_t(lanesPerWarp) >= barrier.expectedThreads;
    return there >= m_run.warpsPerBlock - block.ended;
}

bool Barriers::gather(BlockContext& block, int id, Meeting& meeting)
{
    const Warp* first = nullptr;
    for (Warp& warp : block.warps) {
        if (warp.state != WarpState::AtBarrier || warp.barrier != id)
            continue;
        // CUDA: a barrier stands in a condition only where the condition is the same for the whole block.
        if (first && !warp.barrierCounted && warp.barrierPc != first->barrierPc) {
            const std::vector<Insn>& code = m_run.code.code;
            const std::vector<int>& lines = m_run.code.lines;
            return m_run.fault(
                block, warp, code[warp.barrierPc], __builtin_ctz(warp.mask), FaultKind::SyncError,
                fmt::format("divergent barrier: warps of this block wait at different barriers, line {} and "
                            "line {}",
                            lines[code[first->barrierPc].lineIndex], lines[code[warp.barrierPc].lineIndex]));
        }
        if (!first)
            first = &warp;
        meeting.participants.push_back(warp.index);
        meeting.latest.join(warp.time.base);
        meeting.all &= warp.barrierPredicates | ~warp.mask;
        meeting.any |= warp.barrierPredicates & warp.mask;
        meeting.count += bitCount(warp.barrierPredicates & warp.mask);
    }
    meeting.latest.add(oneStep(Step::Barrier));
    return true;
}

void Barriers::resume(BlockContext& block, const Meeting& meeting) const
{
    for (const int w : meeting.participants) {
        Warp& warp = block.warps[w];
        warp.state = WarpState::Ready;
        warp.time.base = warp.time.last = meeting.latest;
        const Insn& insn = m_run.code.code[warp.barrierPc];
        if (insn.kind != Kind::BarrierReduce || insn.args.d == noSlot)
            continue;
        std::uint32_t* const d = words(warp.registers, insn.args.d);
        if (insn.atom == ptx::AtomOp::Add) {
            for (int l = 0; l < lanesPerWarp; ++l) {
                if ((warp.mask >> l) & 1)
                    d[l] = static_cast<std::uint32_t>(meeting.count);
            }
        } else {
            const bool value = insn.atom == ptx::AtomOp::And ? meeting.all == allLanes : meeting.any != 0;
            *d = (*d & ~warp.mask) | (value ? warp.mask : 0);
        }
    }
}

bool Barriers::release(BlockContext& block, bool& released)
{
    for (int id = 0; id < static_cast<int>(block.barriers.size()); ++id) {
        BarrierState& barrier = block.barriers[id];
        if (!barrier.arrived || !complete(block, barrier))
            continue;
        Meeting& meeting = m_meeting;
        meeting.reset();
        if (!gather(block, id, meeting))
            return false;
        block.cost.barriers += meeting.participants.size();
        resume(block, meeting);
        if (block.tracked) {
            m_ended.assign(block.warps.size(), false);
            for (const Warp& warp : block.warps)
                m_ended[warp.index] = warp.state == WarpState::Ended;
            block.clock.syncWarps(m_memory.races().store(), meeting.participants, m_ended, barrier.signals);
        }
        barrier = {};
        released = true;
    }
    return true;
}

void Barriers::reportStuck(BlockContext& block)
{
    for (const Warp& warp : block.warps) {
        if (warp.state != WarpState::AtBarrier)
            continue;
        m_run.fault(block, warp, m_run.code.code[warp.barrierPc], __builtin_ctz(warp.mask),
                    FaultKind::SyncError,
                    fmt::format("divergent barrier: warps wait at barrier {} for others that never come",
                                warp.barrier));
        break;
    }
}

} // namespace sparserl::sim
