// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/execute/scheduler.h"

#include <algorithm>

namespace sparserl::sim {

namespace {

constexpr std::uint32_t quantumFast = 4096;    ///< Instructions of a warp in a row without race checks.
constexpr std::uint64_t blockSlice = 1u << 18; ///< Instructions of a block before others get a turn.
constexpr std::size_t maxActiveBlocks = 8192;  ///< More than any GPU has resident.
constexpr std::int64_t maxActiveBytes = std::int64_t(1) << 30;
constexpr int lateMost = 4;            ///< Blocks held back, one after another.
constexpr std::uint64_t lateShare = 8; ///< Part of the steps after which none is held back any more.
constexpr std::uint64_t patientBudgetShare = 16; ///< Of what is left, at most one in so many steps.
constexpr std::uint64_t patientShare = 4;        ///< One in so many runs waits for those who only look...
constexpr std::uint64_t lateByWarpShare = 3; ///< In one of so many runs a warp of the block is late, not all.
constexpr int mostPatience = 19;             ///< ...for up to two to the power of this many steps.
constexpr int lateWarpTurns = 32;            ///< Turns of its block for which a warp is held back at most.

float nominalNow(const BlockContext& block)
{
    float latest = 0;
    for (const Warp& warp : block.warps)
        latest = std::max(latest, nominalClocks(warp.time.last));
    return latest;
}

} // namespace

LaunchOutcome runLaunch(SimulatedMemory& memory, const LaunchSetup& setup)
{
    return Scheduler(memory, setup).run();
}

Scheduler::Scheduler(SimulatedMemory& memory, const LaunchSetup& setup)
    : m_run(setup)
    , m_profiler(memory, m_run.code, *setup.model, counts(m_run.level),
                 (m_run.sharedBytes + setup.model->sharedPerBlockReserved) * setup.blocksPerSm)
    , m_memory(memory, m_run.code, setup.shape, m_run.sharedBytes, setup.launchNumber, m_run.faults,
               m_run.steps)
    , m_executor(m_run, m_memory, m_profiler)
    , m_factory(m_run)
    , m_total(setup.shape.blocks())
{
}

void Scheduler::limitActive()
{
    const LaunchSetup& setup = m_run.setup;
    const std::int64_t resident = std::max<std::int64_t>(
        1, std::min<std::int64_t>(m_total, std::int64_t(setup.blocksPerSm) * setup.model->smCount));
    m_active = std::max<std::int64_t>(1, std::min({resident, static_cast<std::int64_t>(maxActiveBlocks),
                                                   maxActiveBytes / m_factory.bytesOfBlock()}));
}

std::unique_ptr<BlockContext> Scheduler::startNext()
{
    if (m_windowAt == m_window.size()) {
        const std::int64_t count = std::min<std::int64_t>(m_active, m_total - m_nextWindow);
        m_window.resize(count);
        for (std::int64_t i = 0; i < count; ++i)
            m_window[i] = static_cast<std::uint32_t>(m_nextWindow + i);
        if (m_run.shuffled) {
            for (std::int64_t i = count - 1; i > 0; --i)
                std::swap(m_window[i], m_window[m_run.random.next() % (i + 1)]);
        }
        m_nextWindow += count;
        m_windowAt = 0;
    }
    if (m_idle.empty())
        m_idle.push_back(m_factory.make());
    std::unique_ptr<BlockContext> block = std::move(m_idle.back());
    m_idle.pop_back();
    m_factory.start(*block, m_window[m_windowAt++]);
    ++m_started;
    return block;
}

/// Any block; of few, seldom the first or the last: programs in which one of these takes itself for the last
/// to end are right where it is late.
std::uint32_t Scheduler::lateBlock()
{
    const std::uint64_t draw = m_run.random.next(), total = static_cast<std::uint64_t>(m_total);
    std::uint64_t late = draw % total;
    if (total > 2 && (late == 0 || late == total - 1) && (draw >> 40 & 7) != 0)
        late = 1 + (draw >> 8) % (total - 2);
    return static_cast<std::uint32_t>(late);
}

std::unique_ptr<BlockContext> Scheduler::releaseHeld()
{
    const std::size_t others = m_waiting.size();
    std::unique_ptr<BlockContext> block = std::move(m_held);
    block->heldAtTurn = false;
    m_late.release();
    // The next one is late for what follows, a second barrier for example.
    if (m_late.released() < lateMost && m_run.steps.left > m_lateSteps && others > 1) {
        m_held = m_waiting.take(m_run.random.next());
        m_late.hold(m_held->number);
    }
    return block;
}

std::unique_ptr<BlockContext> Scheduler::takeWaiting()
{
    // Who waits for others goes in turn; who took a ticket from a queue, by the time it needed so far: that
    // is how a queue hands work to those that are done first.
    const bool byTime = counts(m_run.level) && m_waiting.firstHasTicket() && ++m_outOfTurn < m_waiting.size();
    if (!byTime)
        m_outOfTurn = 0;
    return byTime ? m_waiting.takeEarliest() : m_waiting.takeFirst();
}

std::unique_ptr<BlockContext> Scheduler::chooseNext()
{
    const auto others = static_cast<std::int64_t>(m_waiting.size());
    if (m_held && ((others == 0 && m_started == m_total) || m_late.stuck(m_waiting.size()) ||
                   m_run.steps.left < m_lateSteps))
        return releaseHeld();
    const bool mayStart = m_started < m_total && others + (m_held ? 1 : 0) < m_active;
    if (!mayStart)
        return takeWaiting();
    std::unique_ptr<BlockContext> block = startNext();
    if (block->number != m_late.number())
        return block;
    if (!m_lateByWarp) {
        m_held = std::move(block);
        return nullptr;
    }
    // All of it but a warp runs until it makes room for others: because the rest waits for that warp, or as
    // any block does. It is then held back as a whole, and the warp still comes last when it is released.
    block->lateWarp = static_cast<int>(m_run.random.next() % static_cast<std::uint64_t>(m_run.warpsPerBlock));
    block->heldAtTurn = true;
    return block;
}

void Scheduler::giveTurn(std::unique_ptr<BlockContext> block)
{
    const std::uint64_t changes = m_run.changes, steps = m_run.steps.left;
    const bool ended = runBlock(*block, blockSlice);
    if (m_run.faults)
        return;
    const std::uint64_t spent = steps - m_run.steps.left;
    m_late.turn(ended || changes != m_run.changes || spent >= blockSlice, spent);
    if (ended) {
        finishBlock(*block);
        m_idle.push_back(std::move(block));
        ++m_finished;
        if ((m_finished & 63) == 0 && m_run.setup.cancel.cancelled())
            m_cancelled = true;
    } else {
        const bool late = block->number == m_late.number() && block->heldAtTurn && !m_held;
        if (late)
            m_held = std::move(block);
        else
            m_waiting.add(std::move(block));
        m_cancelled = m_cancelled || m_run.setup.cancel.cancelled();
    }
}

LaunchOutcome Scheduler::run()
{
    limitActive();
    m_lateSteps = m_run.steps.left - m_run.steps.left / lateShare;
    // Of two blocks, one that is late leaves none that meet: only in half of the runs.
    if (m_run.shuffled && m_active > 1 && (m_total > 2 || m_run.random.next() & 1))
        m_late.hold(lateBlock());
    // Of a sequence of its own, so that it decides nothing else.
    RandomSequence lots((m_run.setup.seed + m_run.setup.launchNumber * 0xbf58476d1ce4e5b9u) ^
                        0x94d049bb133111ebu);
    // A launch may not wait away what those after it need.
    if (const std::uint64_t draw = lots.next(); m_run.shuffled && draw % patientShare == 0)
        m_late.setPatience(std::min(std::uint64_t(1) << (mostPatience - (draw >> 32) % 4),
                                    m_run.steps.left / patientBudgetShare));
    // Mistakes of this kind show in results, and others need a block that is late as a whole.
    m_lateByWarp = !checksAll(m_run.level) && m_run.warpsPerBlock > 1 && lots.next() % lateByWarpShare == 0;
    while (m_finished < m_total && !m_run.faults && !m_cancelled) {
        if (std::unique_ptr<BlockContext> block = chooseNext())
            giveTurn(std::move(block));
    }
    LaunchOutcome outcome;
    outcome.cancelled = m_cancelled;
    outcome.fault = m_run.faults.take();
    LaunchStatistics statistics = m_profiler.finish();
    if (counts(m_run.level))
        outcome.statistics = std::move(statistics);
    outcome.statistics.steps = m_run.setup.stepBudget - m_run.steps.left;
    outcome.statistics.failedSwaps = m_run.failedSwaps;
    return outcome;
}

bool Scheduler::runWarps(BlockContext& block, Round& round)
{
    const std::size_t count = block.warps.size();
    for (std::size_t i = 0, next = block.nextWarp; i < count; ++i) {
        Warp& warp = block.warps[next];
        next = next + 1 == count ? 0 : next + 1;
        if (warp.state != WarpState::Ready || warp.index == block.lateWarp)
            continue;
        if (m_run.steps.left == 0)
            return m_run.fault(block, warp, m_run.code.code[warp.pc],
                               warp.mask ? __builtin_ctz(warp.mask) : 0, FaultKind::Timeout, {});
        std::uint64_t quantum = m_run.shuffled ? 64 + (m_run.random.next() & 511) : quantumFast;
        quantum = std::min(quantum, m_run.steps.left);
        const std::uint64_t before = m_run.steps.left;
        m_executor.run(block, warp, static_cast<std::uint32_t>(quantum));
        if (m_run.faults)
            return false;
        round.progress = true;
        round.waiting = round.waiting && warp.spun;
        warp.spun = false;
        round.preempted = round.preempted || m_run.preempt;
        m_run.preempt = false;
        round.steps += before - m_run.steps.left;
    }
    return true;
}

bool Scheduler::runBlock(BlockContext& block, std::uint64_t slice)
{
    std::uint64_t spent = 0;
    m_profiler.switchTo(block.number);
    block.ticket = false;
    while (block.ended < m_run.warpsPerBlock) {
        Round round;
        if (!runWarps(block, round))
            return false;
        spent += round.steps;
        block.nextWarp = m_run.shuffled ? m_run.random.next() % block.warps.size() : 0;
        if (block.ticket)
            block.now = nominalNow(block);
        bool released = false;
        if (!m_executor.barriers().release(block, released))
            return false;
        if (released) {
            ++m_run.changes;
            m_factory.chooseLateWarp(block);
        } else if (block.lateWarp >= 0 &&
                   (!round.progress || round.waiting || ++block.lateTurns > lateWarpTurns)) {
            if (block.heldAtTurn) {
                block.preempted = true;
                return false;
            }
            block.lateWarp = -1;
            if (!round.progress)
                continue;
        }
        if (block.ended < m_run.warpsPerBlock && !round.progress && !released) {
            m_executor.barriers().reportStuck(block);
            return false;
        }
        block.preempted = round.preempted;
        if ((spent >= slice || block.ticket || round.preempted ||
             (round.progress && round.waiting && !released)) &&
            block.ended < m_run.warpsPerBlock)
            return false;
    }
    return true;
}

void Scheduler::finishBlock(BlockContext& block)
{
    if (!counts(block.level))
        return;
    const Warp* slowest = nullptr;
    float longest = -1;
    for (Warp& warp : block.warps) {
        warp.time.closeRun(0);
        if (const float clocks = nominalClocks(warp.time.base); clocks > longest) {
            longest = clocks;
            slowest = &warp;
        }
    }
    m_profiler.finishBlock(block.number, block.cost, slowest->time.base, longest);
}

} // namespace sparserl::sim
