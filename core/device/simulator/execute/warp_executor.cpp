// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/execute/warp_executor.h"

#include "device/simulator/execute/divergence.h"

namespace sparserl::sim {

namespace {

constexpr float branchClocks = 6;
constexpr std::uint32_t patience = (1u << 16) - 1; ///< Iterations before others of the warp get a turn.

} // namespace

void WarpExecutor::run(BlockContext& block, Warp& warp, std::uint32_t quantum)
{
    switch (block.level) {
    case 0:
        return runWarp<0>(block, warp, quantum);
    case 1:
        return runWarp<1>(block, warp, quantum);
    case 2:
        return runWarp<2>(block, warp, quantum);
    default:
        return runWarp<3>(block, warp, quantum);
    }
}

template <int Level>
void WarpExecutor::runWarp(BlockContext& block, Warp& warp, std::uint32_t quantum)
{
    const std::uint32_t granted = quantum;
    After after = After::Switch;
    while (after == After::Switch)
        after = warp.marks.any() ? runUntilPause<Level, true>(block, warp, quantum)
                                 : runUntilPause<Level, false>(block, warp, quantum);
    if (after == After::Pause && !warp.stack.empty()) {
        // Sides that wait for each other by spinning get their turns; those that wait at the end of the loop
        // for the spinning ones as well.
        warp.turn = !warp.turn;
        if (!(warp.spun && warp.turn && releaseArrived(warp)) && !yieldSplit(warp, false) && warp.spun)
            releaseArrived(warp);
    }
    m_run.steps.charge(granted - quantum);
}

WarpExecutor::After WarpExecutor::end(BlockContext& block, Warp& warp) const
{
    warp.state = WarpState::Ended;
    ++block.ended;
    return After::Leave;
}

template <int Level, bool Marked>
WarpExecutor::After WarpExecutor::runUntilPause(BlockContext& block, Warp& warp, std::uint32_t& quantum)
{
    const Insn* const code = m_run.code.code.data();
    std::byte* const registers = warp.registers;
    LineCounters* const lines = m_profiler.lines();
    std::uint8_t* const executed = m_profiler.executed();
    const bool yields = Level >= 1 || m_run.shuffled;
    while (quantum) {
        const Insn& insn = code[warp.pc];
        if (insn.join && warp.pc == warp.reconverge) {
            // Lanes that only have to leave do not wait for the others: barriers must not wait for them.
            if (insn.kind == Kind::Exit && !insn.guarded)
                warp.live &= ~warp.mask;
            if (!popStack(warp))
                return end(block, warp);
            continue;
        }
        if constexpr (counts(Level)) {
            if (insn.leader)
                warp.time.closeRun(0);
        }
        quantum -= insn.internal ? 0 : 1;
        std::uint32_t mask = warp.mask;
        if (insn.guarded) {
            const std::uint32_t guard = *words(registers, insn.guard);
            mask &= insn.guardNegated ? ~guard : guard;
        }
        if constexpr (Marked) {
            if (!followMarks(block, warp, insn, mask))
                return After::Leave;
        }
        if constexpr (counts(Level)) {
            if (!insn.internal) {
                LineCounters& line = lines[insn.lineIndex];
                ++line.warpInstructions;
                line.threadInstructions += mask == allLanes ? lanesPerWarp : bitCount(mask);
                ++block.cost.pipes[static_cast<std::size_t>(insn.pipe)];
                executed[warp.pc] = 1;
            }
        }
        if (insn.kind == Kind::Lane) {
            if (mask == allLanes)
                insn.full(registers, insn.args, mask);
            else if (mask)
                insn.masked(registers, insn.args, mask);
            scheduleLane<Level>(warp, insn);
            ++warp.pc;
            if (Marked && !warp.marks.any())
                return After::Switch;
            continue;
        }
        if (insn.kind == Kind::Branch) {
            branch<Level>(warp, insn, mask);
            if (mask == warp.mask && warp.spun)
                return After::Pause;
            continue;
        }
        if (mask == 0) {
            ++warp.pc;
            continue;
        }
        const After after = execute<Level>(block, warp, insn, mask);
        if (after == After::Again)
            continue;
        if (after == After::Leave)
            return After::Leave;
        ++warp.pc;
        if (warp.spun) {
            warp.spinCount = 0;
            return After::Pause;
        }
        if (yields) {
            if (m_run.preempt)
                return After::Pause;
            if (insn.kind == Kind::Atomic && insn.args.d != noSlot && insn.space != ptx::Space::Shared &&
                (m_run.level >= 1 || m_run.takesTurns())) {
                block.ticket = true;
                return After::Leave;
            }
        }
        if (warp.marks.any() != Marked)
            return After::Switch;
    }
    return After::Pause;
}

template <int Level>
inline void WarpExecutor::branch(Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if constexpr (counts(Level)) {
        scheduleLane<Level>(warp, insn);
        warp.time.closeRun(branchClocks);
    }
    if (mask == warp.mask) {
        if (insn.target <= warp.pc && (++warp.backward & patience) == 0)
            warp.spun = true;
        warp.pc = insn.target;
    } else if (mask == 0) {
        ++warp.pc;
    } else {
        if constexpr (counts(Level))
            ++m_profiler.lines()[insn.lineIndex].divergentBranches;
        divide(warp, m_run.code, insn, mask, m_run.mixesSides && (m_run.random.next() & 1));
    }
}

template <int Level>
void WarpExecutor::fence(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    const bool ofBlock = insn.scope == ptx::Scope::Cta;
    if (block.tracked) {
        m_memory.races().noteFence();
        block.clock.fence(m_memory.races().store(), warp.index, mask, ofBlock ? Reach::Block : Reach::Device);
    }
    if constexpr (counts(Level)) {
        warp.time.closeRun(0);
        if (!ofBlock)
            warp.time.base.add(oneStep(Step::Atomic));
        warp.time.last = warp.time.base;
    }
}

template <int Level>
WarpExecutor::After WarpExecutor::control(BlockContext& block, Warp& warp, const Insn& insn,
                                          std::uint32_t mask)
{
    switch (insn.kind) {
    case Kind::Barrier:
    case Kind::BarrierArrive:
    case Kind::BarrierReduce:
        if constexpr (counts(Level)) {
            scheduleLane<Level>(warp, insn);
            warp.time.closeRun(0);
        }
        if (!m_barriers.arrive(block, warp, insn, mask)) {
            const bool yielded = m_run.yielded;
            m_run.yielded = false;
            return yielded ? After::Again : After::Leave;
        }
        ++warp.pc;
        return warp.state == WarpState::AtBarrier ? After::Leave : After::Again;
    case Kind::Exit:
        warp.live &= ~mask;
        warp.mask &= ~mask;
        if (warp.mask)
            return After::Next;
        return popStack(warp) ? After::Again : end(block, warp);
    case Kind::Trap:
        m_run.fault(block, warp, insn, __builtin_ctz(mask), FaultKind::LaunchError,
                    "the kernel executed a trap");
        return After::Leave;
    case Kind::Fence:
        fence<Level>(block, warp, insn, mask);
        return After::Next;
    case Kind::CopyCommit:
        for (std::uint32_t rest = mask; rest; rest &= rest - 1)
            ++warp.copyGroups[__builtin_ctz(rest)];
        return After::Next;
    default:
        return After::Next;
    }
}

template <int Level>
WarpExecutor::After WarpExecutor::execute(BlockContext& block, Warp& warp, const Insn& insn,
                                          std::uint32_t mask)
{
    bool good = true;
    switch (insn.kind) {
    case Kind::Load:
        good = load<Level>(block, warp, insn, mask);
        break;
    case Kind::Store:
        good = store<Level>(block, warp, insn, mask);
        break;
    case Kind::Atomic:
        good = atomic<Level>(block, warp, insn, mask);
        break;
    case Kind::Scalar:
        scalar(warp, insn, mask);
        scheduleLane<Level>(warp, insn);
        break;
    case Kind::MultiplyMatrix:
        good = matrixMultiply(block, warp, insn, mask);
        scheduleLane<Level>(warp, insn);
        break;
    case Kind::LoadMatrix:
        good = loadMatrix<Level>(block, warp, insn, mask);
        break;
    case Kind::CopyAsync:
        good = copyAsync<Level>(block, warp, insn, mask);
        break;
    case Kind::CopyWait:
        good = copyWait<Level>(block, warp, insn, mask);
        break;
    case Kind::Pack:
    case Kind::Unpack:
        pack(warp, insn, mask);
        scheduleLane<Level>(warp, insn);
        break;
    case Kind::IsInSpace:
        isInSpace(warp, insn, mask);
        scheduleLane<Level>(warp, insn);
        break;
    case Kind::Shuffle:
        good = shuffle(block, warp, insn, mask);
        schedule<Level>(warp, insn, oneStep(Step::Shared));
        break;
    case Kind::Vote:
    case Kind::Match:
    case Kind::ActiveMask:
    case Kind::Reduce:
    case Kind::WarpSync:
        good = vote(block, warp, insn, mask);
        schedule<Level>(warp, insn, oneStep(Step::Shared));
        break;
    default:
        return control<Level>(block, warp, insn, mask);
    }
    if (m_run.yielded) {
        m_run.yielded = false;
        return After::Again;
    }
    return good ? After::Next : After::Leave;
}

} // namespace sparserl::sim
